#include "zookeeper/granted_timeout.hpp"

#include <boost/test/unit_test.hpp>

#include <chrono>

namespace zklock::test {

BOOST_AUTO_TEST_SUITE(granted_timeout, *boost::unit_test::timeout(30))

using zookeeper::granted_timeout_text;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_CASE(granted_timeout_is_described_with_the_ticks_that_it_shows) {
  BOOST_TEST(granted_timeout_text(36'000'000ms, 40s, 2s) ==
             "the servers granted a session timeout of 40000 ms instead of 36000000 ms");
  BOOST_TEST(granted_timeout_text(3s, 4s, 2s) ==
             "the servers granted a session timeout of 4000 ms instead of 3000 ms");
  BOOST_TEST(granted_timeout_text(15s, 20s, 2s) ==
             "the servers granted a session timeout of 20000 ms instead of 15000 ms: their "
             "tickTime is probably 10000 ms, but client_options::server_tick, on which "
             "hold::valid_until rests, is 2000 ms");
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace zklock::test

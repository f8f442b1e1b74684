#include "inspect/description.hpp"

#include <boost/test/unit_test.hpp>

#include <chrono>
#include <cstdint>
#include <limits>

namespace zklock::test {

using std::chrono::milliseconds;
using std::chrono::system_clock;

BOOST_AUTO_TEST_SUITE(description, *boost::unit_test::timeout(30))

BOOST_AUTO_TEST_CASE(time_of_creation_is_that_of_the_servers) {
  BOOST_TEST((detail::created_at(1'700'000'000'123) ==
              system_clock::time_point(milliseconds(1'700'000'000'123))));
}

// A server with a wrong clock.
BOOST_AUTO_TEST_CASE(time_of_creation_beyond_the_clock_is_the_nearest) {
  using limits = std::numeric_limits<std::int64_t>;
  BOOST_TEST((detail::created_at(limits::min()) == system_clock::time_point()));
  BOOST_TEST(
      (detail::created_at(limits::max()) > system_clock::time_point(std::chrono::years(290))));
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace zklock::test

#include <zklock/testing.hpp>

#include "testing/conformance/player.hpp"

#include <boost/test/unit_test.hpp>

namespace zklock::test {
namespace {

/// A real server and a server in memory.
struct two_servers {
  two_servers() {
    stages[0] = {real.address(), [this](std::int64_t id) { return real.expire(id); }};
    stages[1] = {memory.address(), [this](std::int64_t id) { return memory.expire(id); }};
  }

  testing::server real;
  testing::memory_server memory;
  stage stages[2];
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(conformance, two_servers, *boost::unit_test::timeout(300))

BOOST_AUTO_TEST_CASE(server_in_memory_replies_like_a_real_server) {
  constexpr std::uint64_t scripts = 20;
  constexpr int steps = 250;
  for (std::uint64_t seed = 1; seed <= scripts; ++seed) {
    const auto expected = player(stages[0], seed).play(steps);
    const auto actual = player(stages[1], seed).play(steps);
    for (std::size_t i = 0; i != expected.size(); ++i)
      BOOST_REQUIRE_MESSAGE(actual[i] == expected[i], "seed " << seed << ", step " << i
                                                              << "\nreal:   " << expected[i]
                                                              << "\nmemory: " << actual[i]);
  }
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace zklock::test

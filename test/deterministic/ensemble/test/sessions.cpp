#include "stage.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>

namespace ensemble_test {

using namespace std::chrono_literals;

namespace {

constexpr auto timeout = 6s;

// For a delayed packet, and a flush of a busy disk.
constexpr auto slack = 500ms;

} // namespace

BOOST_AUTO_TEST_SUITE(deterministic_sessions)

BOOST_AUTO_TEST_CASE(silent_session_expires_within_its_timeout_and_a_tick) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    stage on(seed);
    auto& one = on.idle_client(static_cast<int>(seed % servers::replicas));
    one.fall_silent();
    BOOST_REQUIRE(on.run_until([&] { return !on.expired.empty(); }));
    const auto [when, session] = on.expired.front();
    BOOST_TEST(session == one.session());
    // The last ping, to a follower, is known to the leader half a tick later.
    BOOST_TEST((when >= one.last_sent() + timeout));
    BOOST_TEST((when <= one.last_sent() + on.options.tick / 2 + timeout + on.options.tick + slack));
    BOOST_TEST(on.fault == "");
  }
}

BOOST_AUTO_TEST_CASE(idle_session_never_expires) {
  for (std::uint64_t seed = 1; seed <= 9; ++seed) {
    stage on(seed);
    auto& one = on.idle_client(static_cast<int>(seed % servers::replicas));
    on.run_for(20min);
    BOOST_TEST(on.expired.empty());
    BOOST_TEST(one.is_connected());
    BOOST_TEST(one.sessions() == 1u);
    BOOST_TEST(on.fault == "");
  }
}

BOOST_AUTO_TEST_CASE(new_leader_gives_every_session_its_full_timeout) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    stage on(seed);
    auto& one = on.idle_client(on.some_follower());
    one.fall_silent();
    on.run_for(4s);
    const auto old = on.ensemble.leader();
    deterministic::time_point led{};
    on.on_leader = [&] { led = on.clock.now(); };
    on.ensemble.crash(old);
    BOOST_REQUIRE(on.run_until([&] { return !on.expired.empty(); }));
    const auto when = on.expired.front().first;
    BOOST_TEST((when >= led + timeout));
    BOOST_TEST((when <= led + timeout + on.options.tick + slack));
    BOOST_TEST(on.ensemble.leader() != old);
    BOOST_TEST(on.fault == "");
  }
}

// This makes locks on ZooKeeper dangerous: the client cannot know.
BOOST_AUTO_TEST_CASE(cut_off_follower_answers_pings_while_the_leader_expires_the_session) {
  std::size_t answered = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    stage on(seed);
    const auto follower = on.some_follower();
    auto& one = on.idle_client(follower);
    const auto session = one.session();
    const auto cut = on.clock.now();
    const bool one_way = seed % 2 == 0;
    if (one_way)
      on.ensemble.cut(follower, on.ensemble.leader());
    else
      on.ensemble.isolate(follower);
    BOOST_REQUIRE(on.run_until([&] { return !on.expired.empty(); }));
    BOOST_TEST(on.expired.front().second == session);
    // The commit can reach the follower, which then closes the connection.
    if (!one_way) BOOST_TEST(one.is_connected());
    answered += one.last_heard() > cut + 1s;
    // In the end the follower notices.
    BOOST_TEST(on.run_until([&] { return !one.is_connected(); }));
    BOOST_TEST(on.fault == "");
  }
  BOOST_TEST(answered >= 20u);
}

BOOST_AUTO_TEST_CASE(deposed_leader_answers_pings_and_commits_nothing) {
  std::size_t overlaps = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    stage on(seed);
    const auto old = on.ensemble.leader();
    auto& one = on.idle_client(old);
    const auto last = on.ensemble.newest().last;
    const auto leads = on.leaders.size();
    on.on_leader = [&] {
      overlaps += one.is_connected() && on.ensemble.state(old) == servers::role::leading;
    };
    on.ensemble.isolate(old);
    wire other(on, old);
    other.connect();
    // Its session is never committed.
    BOOST_TEST(!other.is_answered());
    BOOST_REQUIRE(on.run_until([&] { return on.leaders.size() > leads; }));
    BOOST_TEST(on.leaders.back() != old);
    BOOST_TEST(on.ensemble.newest().last == last);
    BOOST_TEST(on.run_until([&] { return !one.is_connected(); }));
    on.ensemble.heal_all();
    BOOST_TEST(on.run_until([&] { return one.is_connected(); }));
    BOOST_TEST(on.fault == "");
  }
  BOOST_TEST(overlaps > 0u);
}

BOOST_AUTO_TEST_CASE(paused_leader_believes_that_it_leads_when_it_continues) {
  stage on(1);
  const auto old = on.ensemble.leader();
  on.ensemble.pause(old, 30s);
  on.run_for(29s);
  BOOST_TEST(on.ensemble.leader() != old);
  BOOST_TEST((on.ensemble.state(old) == servers::role::leading));
  BOOST_TEST(on.run_until([&] { return on.ensemble.state(old) == servers::role::following; }));
  BOOST_TEST(on.fault == "");
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace ensemble_test

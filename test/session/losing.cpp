// How a hold reports that it is lost, or may be.
#include "support/scene.hpp"

#include <boost/test/unit_test.hpp>

using namespace zklock;
using namespace zklock::test;

BOOST_AUTO_TEST_SUITE(losing, *boost::unit_test::timeout(180))

namespace {

/// A client behind a relay, with a short session and frequent checks, or as a test needs.
struct proven_lock : blocking_scene {
  proven_lock(std::chrono::milliseconds session_timeout, std::chrono::milliseconds interval)
      : blocking_scene({.ours = options_of(session_timeout, interval)}),
        proven_for(session_timeout) {}

  static client_options options_of(std::chrono::milliseconds session_timeout,
                                   std::chrono::milliseconds interval) {
    auto options = options_for(behind_door, session_timeout);
    options.check_interval = interval;
    return options;
  }

  /// The longest time that a hold is proven for.
  const std::chrono::milliseconds proven_for;
  mutex lock{zk, path};
};

} // namespace

BOOST_AUTO_TEST_CASE(idle_hold_stays_proven) {
  proven_lock s(2s, 200ms);
  const hold held = get(s.lock.acquire(30s, asio::use_future));
  const auto lost = held.wait_lost(asio::use_future);
  const auto begin = boot_clock::now();
  auto last = held.valid_until();
  BOOST_TEST((last <= begin + s.proven_for));
  int steps = 0;
  // Far beyond the session timeout.
  wait_until([&] {
    const auto now = held.valid_until();
    BOOST_REQUIRE((now >= last));
    BOOST_REQUIRE((now <= boot_clock::now() + s.proven_for));
    steps += now > last;
    last = now;
    return now > begin + 3 * s.proven_for;
  });
  BOOST_TEST(steps >= 3);
  BOOST_TEST(held.owns_lock());
  BOOST_TEST((held.state() == hold_state::held));
  BOOST_TEST(!is_ready(lost));
}

// The long check interval leaves time to look while the session is about to end.
BOOST_AUTO_TEST_CASE(hold_on_a_silent_connection_is_in_doubt_before_the_session_ends) {
  proven_lock s(5s, 1500ms);
  const hold held = get(s.lock.acquire(30s, asio::use_future));
  auto lost = held.wait_lost(asio::use_future);
  s.door.silence();
  const auto silent_since = boot_clock::now();
  wait_until([&] { return !held.owns_lock(); });
  BOOST_TEST(s.witness.exists(held.node()).has_value());
  BOOST_TEST((held.state() == hold_state::in_doubt));
  BOOST_TEST((held.valid_until() <= silent_since + s.proven_for));
  BOOST_TEST((held.valid_until() <= boot_clock::now()));
  BOOST_TEST(!is_ready(lost));

  // The client cannot learn that the session has ended before it reconnects.
  wait_until([&] { return !s.witness.exists(held.node()); });
  BOOST_TEST((held.state() == hold_state::in_doubt));
  s.door.heal();
  BOOST_TEST((get(lost) == errc::session_expired));
  BOOST_TEST((held.state() == hold_state::lost));
  const hold later = get(s.lock.acquire(30s, asio::use_future));
  BOOST_TEST(later.token() > held.token());
}

BOOST_AUTO_TEST_CASE(hold_is_proven_again_when_the_connection_is_back_in_time) {
  proven_lock s(6s, 2s);
  const hold held = get(s.lock.acquire(30s, asio::use_future));
  const auto lost = held.wait_lost(asio::use_future);
  const auto session = s.zk.session_id();
  // A closed connection puts the hold in doubt at once, although it may be proven for long.
  s.door.refuse();
  wait_until([&] { return held.state() == hold_state::in_doubt; });
  BOOST_TEST(held.owns_lock());
  s.door.accept();
  wait_until([&] { return held.state() == hold_state::held; });
  BOOST_TEST(held.owns_lock());

  s.door.silence();
  wait_until([&] { return !held.owns_lock(); });
  s.door.heal();
  wait_until([&] { return held.state() == hold_state::held; });
  BOOST_TEST(held.owns_lock());
  BOOST_TEST(s.zk.session_id() == session);
  BOOST_TEST(!is_ready(lost));
}

// The newest waiter is requeued, not the first.
BOOST_AUTO_TEST_CASE(waiters_keep_their_order_when_an_entry_is_deleted_by_hand) {
  proven_lock s(6s, 200ms);
  const auto before = create_foreign_entry(s.witness, s.path);
  auto first = s.lock.acquire(asio::use_future);
  wait_until([&] { return entries(s.witness, s.path) == 2; });
  auto second = s.lock.acquire(asio::use_future);
  wait_until([&] { return entries(s.witness, s.path) == 3; });
  const auto nodes = entries_in_line(s.witness, s.path);
  s.witness.remove(nodes[1]);
  wait_until([&] { return entries(s.witness, s.path) == 3; });
  BOOST_TEST(!is_ready(first));
  BOOST_TEST(!is_ready(second));
  s.witness.remove(before);
  hold held = get(first);
  BOOST_TEST(held.node() == nodes[2]);
  BOOST_TEST(!is_ready(second));
  held = hold();
  BOOST_TEST(get(second).owns_lock());
}

BOOST_AUTO_TEST_CASE(directory_deleted_by_hand_is_created_again) {
  proven_lock s(6s, 200ms);
  hold held = get(s.lock.acquire(30s, asio::use_future));
  auto lost = held.wait_lost(asio::use_future);
  auto next = s.lock.acquire(asio::use_future);
  wait_until([&] { return entries(s.witness, s.path) == 2; });
  s.witness.remove_all(s.path);
  BOOST_TEST((get(lost) == errc::entry_deleted));
  const hold later = get(next);
  // Its numbers start again; its tokens do not.
  BOOST_TEST(later.node().ends_with("-0000000000"));
  BOOST_TEST(later.token() > held.token());
}

BOOST_AUTO_TEST_SUITE_END()

// Behaviour that all kinds of locks share: holds, losses, deadlines and clean-up.
#include "kinds/kinds.hpp"
#include "support/scene.hpp"
#include "testing/relay_hooks.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>
#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include <memory>
#include <string>

using namespace zklock;
using namespace zklock::test;
namespace data = boost::unit_test::data;

BOOST_AUTO_TEST_SUITE(every_kind, *boost::unit_test::timeout(120))

namespace {

/// Makes a lock of another client that conflicts with a lock of this kind.
any_lock make_conflicting(kind what, const client& zk, const std::string& path) {
  return make(what == kind::reader ? kind::writer : what, zk, path);
}

struct kind_scene : two_blocking_clients {
  explicit kind_scene(kind what)
      : two_blocking_clients({.ours = checked_often()}),
        lock(make(what, zk, path)),
        theirs(make_conflicting(what, other, path)) {}

  static client_options checked_often() {
    auto options = options_for(behind_door);
    options.check_interval = 200ms;
    return options;
  }

  /// The number of nodes of entries and permits.
  std::size_t nodes() {
    witness.sync(path);
    const auto top = witness.exists(path) ? witness.children(path) : std::vector<std::string>();
    std::size_t count = 0;
    for (const auto& child : top)
      count += child == "locks" || child == "leases" ? entries(witness, path + '/' + child) : 1;
    return count;
  }

  any_lock lock, theirs;
};

hold take(any_lock& lock) {
  return get(lock.acquire(30s, asio::use_future));
}

void expect_lost(const hold& held, errc why) {
  BOOST_TEST(!held.owns_lock());
  BOOST_TEST((held.state() == hold_state::lost));
  BOOST_TEST((held.valid_until() == boot_clock::time_point::min()));
  // Later waits get this error, too.
  BOOST_TEST((get(held.wait_lost(asio::use_future)) == why));
}

} // namespace

BOOST_DATA_TEST_CASE(lock_is_acquired_and_released, data::make(all_kinds), what) {
  kind_scene s(what);
  fencing_token last;
  for (int i = 0; i < 5; ++i) {
    hold held = take(s.lock);
    BOOST_TEST((held.state() == hold_state::held));
    BOOST_TEST(s.witness.exists(held.node()).has_value());
    BOOST_TEST((held.token() > last));
    last = held.token();
    BOOST_TEST(!get(s.theirs.try_acquire(asio::use_future)));
    get(held.release(asio::use_future));
    BOOST_TEST(s.nodes() == 0u);
  }
}

BOOST_DATA_TEST_CASE(waiter_that_gave_up_leaves_nothing, data::make(all_kinds), what) {
  kind_scene s(what);
  hold held = take(s.theirs);
  const auto before = s.nodes();
  BOOST_TEST((error_of(s.lock.acquire(100ms, asio::use_future)) == errc::timed_out));
  wait_until([&] { return s.nodes() == before; });

  asio::cancellation_signal cancel;
  std::promise<error_code> ended;
  s.lock.acquire(asio::bind_cancellation_slot(
      cancel.slot(), [&](error_code error, hold) { ended.set_value(error); }));
  wait_until([&] { return s.nodes() == before + 1; });
  asio::post(s.io, [&] { cancel.emit(asio::cancellation_type::total); });
  BOOST_TEST((get(ended.get_future()) == asio::error::operation_aborted));
  wait_until([&] { return s.nodes() == before; });
}

BOOST_DATA_TEST_CASE(expired_session_ends_the_hold_and_requeues_waiters, data::make(all_kinds),
                     what) {
  kind_scene s(what);
  hold held = take(s.lock);
  auto lost = held.wait_lost(asio::use_future);
  const auto held_nodes = s.nodes();
  auto next_client = s.theirs.acquire(30s, asio::use_future);
  wait_until([&] { return s.nodes() > held_nodes; });
  const auto session = s.zk.session_id();
  BOOST_TEST(shared_server().expire(session));
  BOOST_TEST((get(lost) == errc::session_expired));
  expect_lost(held, errc::session_expired);
  hold conflicting = get(next_client);
  BOOST_TEST(conflicting.owns_lock());
  BOOST_TEST(conflicting.token() > held.token());
  // The release of a lost hold succeeds.
  get(held.release(asio::use_future));

  auto waiting = s.lock.acquire(30s, asio::use_future);
  wait_until([&] { return s.nodes() > nodes_of(what); });
  BOOST_TEST(s.zk.session_id() != session);
  BOOST_TEST(shared_server().expire(s.zk.session_id()));
  get(conflicting.release(asio::use_future));
  hold next = get(waiting);
  BOOST_TEST(next.owns_lock());
}

BOOST_DATA_TEST_CASE(hold_is_lost_when_its_node_is_deleted_by_hand, data::make(all_kinds), what) {
  kind_scene s(what);
  hold held = take(s.lock);
  auto lost = held.wait_lost(asio::use_future);
  const auto held_nodes = s.nodes();
  auto waiting = s.theirs.acquire(30s, asio::use_future);
  wait_until([&] { return s.nodes() > held_nodes; });
  s.witness.remove(held.node());
  BOOST_TEST((get(lost) == errc::entry_deleted));
  expect_lost(held, errc::entry_deleted);
  const hold next = get(waiting);
  BOOST_TEST(next.owns_lock());
  BOOST_TEST(next.token() > held.token());
  get(held.release(asio::use_future));
  BOOST_TEST(next.owns_lock());
  wait_until([&] { return s.nodes() == held_nodes; });
}

BOOST_DATA_TEST_CASE(lost_answer_costs_neither_hold_nor_waiter, data::make(all_kinds), what) {
  using testing::operation;
  for (const auto asked : {operation::create2, operation::multi, operation::remove}) {
    kind_scene s(what);
    { hold warm = take(s.lock); }
    wait_until([&] { return s.nodes() == 0; });
    const auto before = testing::relay_hooks(s.door).cut_before_request(asked);
    hold held = take(s.lock);
    BOOST_TEST(held.owns_lock());
    get(held.release(asio::use_future));
    const auto after = testing::relay_hooks(s.door).cut_before_reply(asked);
    held = take(s.lock);
    BOOST_TEST(held.owns_lock());
    get(held.release(asio::use_future));
    BOOST_TEST(s.nodes() == 0u);
    hold next = take(s.theirs);
    BOOST_TEST(next.owns_lock());
  }
}

BOOST_DATA_TEST_CASE(closed_or_destroyed_client_releases_all_its_entries, data::make(all_kinds),
                     what) {
  kind_scene s(what);
  hold conflicting = take(s.theirs);
  auto waiting = s.lock.acquire(asio::use_future);
  wait_until([&] { return s.nodes() > nodes_of(what); });
  get(s.zk.close(asio::use_future));
  BOOST_TEST((error_of(waiting) == errc::closed));
  get(conflicting.release(asio::use_future));
  {
    client third(s.io, options_for(shared_server().address()));
    any_lock lock = make(what, third, s.path);
    hold held = take(lock);
    BOOST_TEST(held.owns_lock());
    auto lost = held.wait_lost(asio::use_future);
    third = client(s.io, options_for(shared_server().address()));
    BOOST_TEST((get(lost) == errc::closed));
  }
  wait_until([&] { return s.nodes() == 0; });
}

BOOST_DATA_TEST_CASE(hold_is_not_held_after_a_pause_beyond_its_validity, data::make(all_kinds),
                     what) {
  kind_scene s(what);
  hold held = take(s.lock);
  s.door.silence();
  wait_until([&] { return !held.owns_lock(); });
  BOOST_TEST((held.state() == hold_state::in_doubt || held.state() == hold_state::lost));
  s.door.heal();
  wait_until([&] { return held.state() == hold_state::lost || held.owns_lock(); });
}

BOOST_AUTO_TEST_SUITE_END()

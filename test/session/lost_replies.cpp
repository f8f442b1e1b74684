// Requests and replies that are lost, at each step of an acquire and a release.
#include "support/scene.hpp"
#include "testing/relay_hooks.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>

#include <utility>

using namespace zklock;
using namespace zklock::test;
using testing::direction;
using testing::frame;
using testing::operation;
using testing::reaction;

namespace {

/// A client behind a relay. The witness creates entries as another program does.
struct losing_connection : blocking_scene {
  explicit losing_connection(client_options options = options_for(behind_door, 20s))
      : blocking_scene({.ours = std::move(options)}) {}

  /// Checks that the hold has the token of its node.
  void check(const hold& held, std::size_t nodes) {
    BOOST_TEST(held.owns_lock());
    BOOST_TEST(entries(witness, path) == nodes);
    const auto stat = witness.exists(held.node());
    BOOST_REQUIRE(stat.has_value());
    BOOST_TEST(stat->czxid == held.token().transaction());
    BOOST_TEST(stat->ephemeral_owner == zk.session_id());
  }
};

struct loss {
  operation kind;
  direction way;

  friend std::ostream& operator<<(std::ostream& out, const loss& lost) {
    return out << (lost.way == direction::to_server ? "request " : "reply to ")
               << static_cast<int>(lost.kind);
  }
};

std::vector<loss> all_losses() {
  std::vector<loss> all;
  for (const auto kind :
       {operation::create_container, operation::create2, operation::get_children2,
        operation::get_data, operation::remove, operation::multi, operation::notification})
    for (const auto way : {direction::to_server, direction::to_client})
      if (kind != operation::notification || way == direction::to_client)
        all.push_back({kind, way});
  return all;
}

testing::hook lose(testing::relay& door, loss what) {
  return testing::relay_hooks(door).when(
      what.way, [kind = what.kind](const frame& each) { return each.kind == kind; },
      reaction::cut_before);
}

} // namespace

BOOST_AUTO_TEST_SUITE(lost_replies, *boost::unit_test::timeout(240))

BOOST_DATA_TEST_CASE(lost_message_leaks_no_entry_and_starves_no_waiter,
                     boost::unit_test::data::make(all_losses()), lost) {
  // Frequent checks, so that some of them are lost.
  auto options = options_for(behind_door, 20s);
  options.check_interval = 100ms;
  losing_connection s(options);
  mutex lock(s.zk, s.path);

  // The directory exists already where another entry is in line.
  const bool alone = lost.kind == operation::create_container;
  const auto before = alone ? std::string() : create_foreign_entry(s.witness, s.path);
  const auto hook = lose(s.door, lost);
  auto first = lock.acquire(asio::use_future);
  auto second = lock.acquire(asio::use_future);
  if (!alone) {
    wait_until([&] { return entries(s.witness, s.path) == 3; });
    wait_for_watch(before);
    s.witness.remove(before);
  }
  hold held = get(first);
  wait_until([&] { return entries(s.witness, s.path) == 2; });
  s.check(held, 2);
  if (lost.kind == operation::multi) hook.wait();
  get(held.release(asio::use_future));
  held = get(second);
  s.check(held, 1);
  get(held.release(asio::use_future));
  BOOST_TEST(entries(s.witness, s.path) == 0u);
  hook.wait();
  // Facts learned on the first connection must not mislead the client on the second connection.
  const auto behind = create_foreign_entry(s.witness, s.path);
  BOOST_TEST(!get(lock.try_acquire(asio::use_future)));
  s.witness.remove(behind);
  held = get(lock.acquire(30s, asio::use_future));
  s.check(held, 1);
}

BOOST_AUTO_TEST_CASE(free_lock_is_acquired_once_when_the_reply_to_create_is_lost) {
  losing_connection s;
  mutex lock(s.zk, s.path);
  for (int i = 0; i < 3; ++i) {
    const auto hook = testing::relay_hooks(s.door).cut_before_reply(operation::create2);
    hold held = get(lock.acquire(30s, asio::use_future));
    BOOST_TEST(hook.fired());
    // The first node was adopted.
    BOOST_TEST(held.node().ends_with(std::to_string(i)));
    s.check(held, 1);
    get(held.release(asio::use_future));
  }
}

BOOST_AUTO_TEST_CASE(adoption_of_a_node_is_interrupted_at_every_step) {
  losing_connection s;
  mutex lock(s.zk, s.path);
  const auto check = testing::relay_hooks(s.door).cut_before_reply(operation::multi);
  const auto create = testing::relay_hooks(s.door).cut_before_reply(operation::create2);
  const auto list = testing::relay_hooks(s.door).cut_before_reply(operation::get_children2);
  const auto inspect = testing::relay_hooks(s.door).cut_before_reply(operation::exists);
  const hold held = get(lock.acquire(30s, asio::use_future));
  BOOST_TEST((check.fired() && create.fired() && list.fired() && inspect.fired()));
  BOOST_TEST(s.door.accepted() >= 5u);
  s.check(held, 1);
}

BOOST_AUTO_TEST_CASE(predecessor_that_leaves_while_disconnected_is_noticed) {
  losing_connection s;
  mutex lock(s.zk, s.path);
  const auto before = create_foreign_entry(s.witness, s.path);
  auto waiting = lock.acquire(asio::use_future);
  wait_until([&] { return s.door.replies(operation::get_data) == 1; });
  s.door.refuse();
  wait_until([&] { return !s.zk.connected(); });
  s.witness.remove(before);
  BOOST_TEST(!is_ready(waiting));
  s.door.accept();
  s.check(get(waiting), 1);
}

BOOST_AUTO_TEST_CASE(waiter_that_gave_up_before_its_lost_reply_is_known_leaves_no_entry) {
  losing_connection s;
  mutex lock(s.zk, s.path);
  const auto reply_to_create = [](const frame& each) { return each.kind == operation::create2; };

  // While the connection seems to stand, and while there is none.
  for (const bool down : {false, true}) {
    const auto hook = testing::relay_hooks(s.door).when(direction::to_client, reply_to_create,
                                                        reaction::silence_before);
    asio::cancellation_signal cancel;
    auto timed = lock.acquire(700ms, asio::use_future);
    auto cancelled = lock.acquire(asio::bind_cancellation_slot(cancel.slot(), asio::use_future));
    hook.wait();
    if (down) {
      s.door.refuse();
      wait_until([&] { return !s.zk.connected(); });
    }
    cancel.emit(asio::cancellation_type::total);
    BOOST_TEST((error_of(cancelled) == asio::error::operation_aborted));
    BOOST_TEST((error_of(timed) == errc::not_connected));
    BOOST_TEST(entries(s.witness, s.path) >= 1u);
    s.door.cut();
    s.door.heal();
    wait_until([&] { return entries(s.witness, s.path) == 0; });
    get(get(lock.acquire(30s, asio::use_future)).release(asio::use_future));
  }
}

BOOST_AUTO_TEST_CASE(release_without_a_connection_is_completed_after_the_reconnect) {
  losing_connection s;
  mutex lock(s.zk, s.path);
  hold held = get(lock.acquire(30s, asio::use_future));
  s.door.refuse();
  wait_until([&] { return !s.zk.connected(); });
  auto released = held.release(asio::use_future);
  BOOST_TEST((held.state() == hold_state::empty));
  BOOST_TEST(!is_ready(released));
  BOOST_TEST(entries(s.witness, s.path) == 1u);
  s.door.accept();
  get(released);
  BOOST_TEST(entries(s.witness, s.path) == 0u);

  // A release in the background is completed as well.
  held = get(lock.acquire(30s, asio::use_future));
  s.door.refuse();
  held = hold();
  s.door.accept();
  wait_until([&] { return entries(s.witness, s.path) == 0; });
}

BOOST_AUTO_TEST_CASE(connection_that_breaks_repeatedly_costs_only_time) {
  losing_connection s;
  mutex lock(s.zk, s.path);
  fencing_token last;
  for (int i = 0; i < 10; ++i) {
    auto waiting = lock.acquire(asio::use_future);
    if (i % 2 == 0) s.door.cut();
    hold held = get(waiting);
    BOOST_TEST(held.token() > last);
    last = held.token();
    auto released = held.release(asio::use_future);
    if (i % 3 == 0) s.door.cut();
    get(released);
    BOOST_TEST(entries(s.witness, s.path) == 0u);
  }
}

BOOST_AUTO_TEST_SUITE_END()

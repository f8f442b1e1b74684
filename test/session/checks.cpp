// The periodic checks that keep a session proven: their requests, and the losses that they find.
#include "support/background.hpp"
#include "support/counted_client.hpp"
#include "support/frame_relay.hpp"

#include <boost/asio/steady_timer.hpp>
#include <boost/test/unit_test.hpp>

#include <atomic>
#include <optional>
#include <set>
#include <string>
#include <vector>

using namespace zklock;
using namespace zklock::test;
using testing::operation;

namespace {

/// The holds of so many mutexes.
std::vector<hold> hold_many(client& zk, const std::string& path, int count) {
  std::vector<hold> held;
  for (int i = 0; i < count; ++i)
    held.push_back(
        get(mutex(zk, path + "/held-" + std::to_string(i)).acquire(30s, asio::use_future)));
  return held;
}

void expect_held(const std::vector<hold>& all) {
  for (const auto& each : all)
    BOOST_TEST(each.owns_lock());
}

} // namespace

BOOST_AUTO_TEST_SUITE(checks, *boost::unit_test::timeout(180))

// A check looks for the nodes of 200 locks in two transactions. Between the two, a lock may be
// released and its path used for another kind of lock.
BOOST_AUTO_TEST_CASE(path_reused_for_another_kind_during_a_check_is_left_alone) {
  background context;
  auto options = options_for(shared_server().direct_address(), 6s);
  options.check_interval = 1ms;
  client zk(context.io, options);
  const auto path = fresh_path();
  const auto held = hold_many(zk, path, 200);
  const auto flip = [&](int which) -> asio::awaitable<void> {
    const auto name = path + "/flip-" + std::to_string(which);
    for (int i = 0; i < 100; ++i) {
      any_lock lock = i % 2 == 0 ? any_lock(mutex(zk, name)) : any_lock(shared_mutex(zk, name));
      hold each = co_await lock.acquire(30s, asio::use_awaitable);
      co_await each.release(asio::use_awaitable);
    }
  };
  std::vector<std::future<void>> flips;
  for (int i = 0; i < 16; ++i)
    flips.push_back(asio::co_spawn(context.io, flip(i), asio::use_future));
  for (auto& each : flips)
    get(each);
  expect_held(held);
}

// The servers close the connection behind a request that is larger than their jute.maxbuffer.
BOOST_AUTO_TEST_CASE(checks_of_many_nodes_shrink_until_the_servers_accept_them) {
  testing::server narrow({.system_properties = {"jute.maxbuffer=4096"}});
  testing::relay door(narrow.address());
  background context;
  auto options = options_for(door.address(), 30s);
  options.check_interval = 500ms;
  client zk(context.io, options);
  const auto held = hold_many(zk, fresh_path(), 100);
  wait_until([&] { return zk.stats().reconnects != 0; });
  // A connection that is lost has two transactions, a connection that stays has many.
  door.reset_counts();
  wait_until([&] { return door.requests(operation::multi) >= 40; });
  BOOST_TEST(zk.stats().reconnects <= 5u);
  expect_held(held);
}

BOOST_AUTO_TEST_CASE(first_lock_after_a_long_idle_time_costs_one_more_write) {
  background context;
  testing::relay door{shared_server().direct_address()};
  client zk(context.io, options_for(door.address(), 3s));
  wait_until([&] { return zk.connected(); });
  const auto path = fresh_path();
  testing::raw_client{shared_server().direct_address()}.create_all(path);
  mutex lock(zk, path);
  // Longer than the session timeout: the connect request proves nothing any more. Two reads come
  // every 600 ms.
  wait_until([&] { return door.requests(operation::exists) >= 14; });
  door.reset_counts();
  const hold held = get(lock.acquire(30s, asio::use_future));
  BOOST_TEST(door.requests(operation::create2) == 1u);
  // The proving write, and a check that may be due just then.
  BOOST_TEST(door.requests(operation::multi) <= 3u);
  BOOST_TEST(held.owns_lock());
}

// Where the client has only read, a lock is granted behind a write that confirms the session. The
// servers are overloaded: such writes are refused. They are repeated at some distance.
BOOST_AUTO_TEST_CASE(refused_confirmation_grants_nothing_and_is_repeated_with_pauses) {
  background context;
  std::atomic<int> looks = 0;
  std::atomic<int> refused = 0;
  std::atomic<bool> refuses = true;
  std::set<std::string> confirmations;
  frame_relay door(context.io, shared_server().port(), [&](passing_frame& frame) {
    if (frame.first) return std::optional<std::string>();
    const auto xid = frame.bytes.substr(0, 4);
    if (frame.up && int_at(frame.bytes, 4) == 3) ++looks;
    if (frame.up && int_at(frame.bytes, 4) == 14) confirmations.insert(xid);
    if (!frame.up && confirmations.erase(xid) != 0 && refuses) {
      // The error -127, without a body.
      frame.bytes.replace(12, frame.bytes.npos, "\xff\xff\xff\x81");
      ++refused;
    }
    return std::optional<std::string>();
  });
  // The checks of a client that is in use are rare.
  auto options = options_for(door.address(), 6s);
  client zk(context.io, options);
  wait_until([&] { return looks != 0; });
  auto waiting = mutex(zk, fresh_path()).acquire(30s, asio::use_future);
  wait_until([&] { return refused >= 1 || is_ready(waiting); });
  const auto begun = std::chrono::steady_clock::now();
  wait_until([&] { return refused >= 4 || is_ready(waiting); });
  BOOST_TEST((std::chrono::steady_clock::now() - begun >= 500ms));
  BOOST_TEST(!is_ready(waiting));
  refuses = false;
  const hold held = get(waiting);
  BOOST_TEST(held.owns_lock());
  BOOST_TEST(zk.stats().reconnects == 0u);
}

// The shortest session timeout that servers grant, two of their ticks, and the longest interval.
BOOST_AUTO_TEST_CASE(body_on_a_healthy_server_is_not_cancelled) {
  testing::server own({.tick_time = 2s});
  background context;
  const auto run_with = [&](std::chrono::milliseconds session, std::chrono::milliseconds interval) {
    client_options options{.servers = own.address(), .session_timeout = session};
    options.check_interval = interval;
    client zk(context.io, options);
    mutex lock(zk, fresh_path());
    const auto body = []() -> asio::awaitable<void> {
      asio::steady_timer timer(co_await asio::this_coro::executor, 6s);
      co_await timer.async_wait(asio::use_awaitable);
    };
    get(asio::co_spawn(context.io, with_lock(lock, 30s, body), asio::use_future));
    BOOST_TEST(zk.session_timeout().count() == session.count());
  };
  run_with(4s, 0s);
  run_with(4s, 600ms);
}

// The hold is in doubt while the loop is blocked.
BOOST_AUTO_TEST_CASE(hold_is_proven_again_after_the_loop_was_blocked) {
  asio::io_context io{1};
  client zk(io, options_for(shared_server().address(), 3s));
  mutex lock(zk, fresh_path());
  run(io, [&]() -> asio::awaitable<void> {
    const hold held = co_await lock.acquire(30s, asio::use_awaitable);
    // The loop is blocked until the hold is no longer proven.
    std::this_thread::sleep_until(std::chrono::steady_clock::now() +
                                  (held.valid_until() - boot_clock::now()));
    BOOST_TEST(!held.owns_lock());
    const auto proven = [&] { return held.state() != hold_state::in_doubt; };
    co_await eventually(proven);
  });
}

BOOST_AUTO_TEST_SUITE_END()

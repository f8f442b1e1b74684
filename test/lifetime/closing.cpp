// client::close(), at any time.
#include <zklock/testing/relay.hpp>

#include "support/background.hpp"
#include "testing/relay_hooks.hpp"

#include <boost/test/unit_test.hpp>

#include <optional>

using namespace zklock;
using namespace zklock::test;

BOOST_AUTO_TEST_SUITE(closing, *boost::unit_test::timeout(120))

namespace {

struct closing_client {
  closing_client()
      : zk(std::in_place, context.io, options_for(door.address(), 60s)), lock(*zk, path) {}

  testing::relay door{shared_server().direct_address()};
  testing::raw_client witness{shared_server().direct_address()};
  const std::string path = fresh_path();
  background context;
  std::optional<client> zk;
  mutex lock;
};

} // namespace

BOOST_AUTO_TEST_CASE(close_deletes_all_entries_and_ends_all_operations) {
  closing_client s;
  mutex other(*s.zk, s.path + "/other");
  hold held = get(s.lock.acquire(30s, asio::use_future));
  hold given = get(other.acquire(30s, asio::use_future));
  auto lost = held.wait_lost(asio::use_future);
  std::vector<std::future<hold>> waiting;
  for (int i = 0; i < 100; ++i)
    waiting.push_back(s.lock.acquire(asio::use_future));
  waiting.push_back(s.lock.acquire(30s, asio::use_future));
  waiting.push_back(other.acquire(asio::use_future));
  wait_until([&] { return entries(s.witness, s.path + "/other") == 2; });
  auto released = given.release(asio::use_future);
  get(s.zk->close(asio::use_future));
  // Nothing is left at the moment of completion.
  BOOST_TEST(s.witness.children(s.path) == std::vector<std::string>{"other"});
  BOOST_TEST(s.witness.children(s.path + "/other").empty());
  get(released);
  BOOST_TEST((get(lost) == errc::closed));
  BOOST_TEST((held.state() == hold_state::lost));
  // The exception is a waiter that the release before the close has granted.
  const auto last = error_of(waiting.back());
  BOOST_TEST((last == errc::closed || !last));
  waiting.pop_back();
  for (auto& each : waiting)
    BOOST_TEST((error_of(each) == errc::closed));
  BOOST_TEST(!s.zk->connected());
  BOOST_TEST(!held.owns_lock());
  get(held.release(asio::use_future));
}

BOOST_AUTO_TEST_CASE(second_close_fails_closed) {
  closing_client s;
  get(get(s.lock.acquire(30s, asio::use_future)).release(asio::use_future));
  auto first = s.zk->close(asio::use_future);
  auto second = s.zk->close(asio::use_future);
  get(first);
  BOOST_TEST((error_of(second) == errc::closed));
  BOOST_TEST((error_of(s.zk->close(asio::use_future)) == errc::closed));
}

BOOST_AUTO_TEST_CASE(acquire_on_a_closed_client_fails_closed) {
  closing_client s;
  get(get(s.lock.acquire(30s, asio::use_future)).release(asio::use_future));
  auto closed = s.zk->close(asio::use_future);
  // While the client closes, and once it is closed.
  for (int i = 0; i < 2; ++i) {
    BOOST_TEST((error_of(s.lock.acquire(asio::use_future)) == errc::closed));
    BOOST_TEST((error_of(s.lock.acquire(1s, asio::use_future)) == errc::closed));
    BOOST_TEST((error_of(s.lock.try_acquire(asio::use_future)) == errc::closed));
    mutex fresh(*s.zk, fresh_path());
    BOOST_TEST((error_of(fresh.acquire(asio::use_future)) == errc::closed));
    if (i == 0) get(closed);
  }
}

BOOST_AUTO_TEST_CASE(close_while_disconnected_fails_and_leaves_the_session_to_expire) {
  closing_client s;
  hold held = get(s.lock.acquire(30s, asio::use_future));
  auto lost = held.wait_lost(asio::use_future);
  hold given = get(mutex(*s.zk, s.path + "/other").acquire(30s, asio::use_future));
  auto waiting = s.lock.acquire(asio::use_future);
  wait_until([&] { return entries(s.witness, s.path) == 3; });
  s.door.refuse();
  wait_until([&] { return !s.zk->connected(); });
  auto released = given.release(asio::use_future);
  BOOST_TEST((error_of(s.zk->close(asio::use_future)) == errc::not_connected));
  BOOST_TEST((error_of(waiting) == errc::closed));
  BOOST_TEST((error_of(released) == errc::not_connected));
  BOOST_TEST((get(lost) == errc::closed));
  // The entries go with the session.
  BOOST_TEST(entries(s.witness, s.path) == 3u);
  BOOST_TEST(!held.owns_lock());
}

BOOST_AUTO_TEST_CASE(close_at_silent_servers_gives_up_soon) {
  closing_client s;
  const hold held = get(s.lock.acquire(30s, asio::use_future));
  s.door.silence();
  const auto begin = std::chrono::steady_clock::now();
  BOOST_TEST((error_of(s.zk->close(asio::use_future)) == errc::not_connected));
  BOOST_TEST((std::chrono::steady_clock::now() - begin < 10s));
  BOOST_TEST(entries(s.witness, s.path) == 1u);
}

BOOST_AUTO_TEST_CASE(close_before_the_first_connection_completes) {
  testing::relay door(shared_server().direct_address());
  door.refuse();
  background context;
  client zk(context.io, options_for(door.address()));
  auto waiting = mutex(zk, fresh_path()).acquire(asio::use_future);
  BOOST_TEST(!error_of(zk.close(asio::use_future)));
  BOOST_TEST((error_of(waiting) == errc::closed));
}

BOOST_AUTO_TEST_CASE(close_before_the_answer_to_the_handshake_completes) {
  testing::relay door(shared_server().direct_address());
  door.silence(testing::direction::to_client);
  background context;
  client zk(context.io, options_for(door.address()));
  wait_until([&] { return door.requests(testing::operation::connect) == 1; });
  BOOST_TEST(!error_of(zk.close(asio::use_future)));
}

BOOST_AUTO_TEST_CASE(close_after_the_session_expired_succeeds) {
  closing_client s;
  hold held = get(s.lock.acquire(30s, asio::use_future));
  auto lost = held.wait_lost(asio::use_future);
  s.door.refuse();
  wait_until([&] { return !s.zk->connected(); });
  shared_server().expire(s.zk->session_id());
  // The client learns of the expiry at the next handshake, and no new session is made.
  testing::relay_hooks(s.door).when(
      testing::direction::to_client,
      [](const testing::frame& each) { return each.kind == testing::operation::connect; },
      testing::reaction::silence_after);
  s.door.accept();
  BOOST_TEST((get(lost) == errc::session_expired));
  s.door.refuse();
  BOOST_TEST(!error_of(s.zk->close(asio::use_future)));
}

BOOST_AUTO_TEST_CASE(close_with_nothing_to_delete_needs_no_answer) {
  for (const bool refused : {true, false}) {
    closing_client s;
    get(get(s.lock.acquire(30s, asio::use_future)).release(asio::use_future));
    if (refused) {
      s.door.refuse();
      wait_until([&] { return !s.zk->connected(); });
    } else {
      s.door.silence();
    }
    BOOST_TEST(!error_of(s.zk->close(asio::use_future)));
  }
}

BOOST_AUTO_TEST_CASE(close_with_an_unconfirmed_delete_fails_not_connected) {
  closing_client s;
  hold held = get(s.lock.acquire(30s, asio::use_future));
  s.door.silence();
  auto released = held.release(asio::use_future);
  s.door.refuse();
  wait_until([&] { return !s.zk->connected(); });
  BOOST_TEST((error_of(s.zk->close(asio::use_future)) == errc::not_connected));
  BOOST_TEST((error_of(released) == errc::not_connected));
}

BOOST_AUTO_TEST_CASE(close_while_a_committed_ephemeral_node_remains_fails_not_connected) {
  closing_client s;
  hold held = get(s.lock.acquire(30s, asio::use_future));
  const auto node = fresh_path("node");
  get(held.commit(transaction().create(node, {}, node_kind::ephemeral), asio::use_future));
  get(held.release(asio::use_future));
  s.door.refuse();
  wait_until([&] { return !s.zk->connected(); });
  BOOST_TEST((error_of(s.zk->close(asio::use_future)) == errc::not_connected));
  BOOST_TEST(s.witness.exists(node).has_value());
}

BOOST_AUTO_TEST_CASE(close_lets_the_context_run_out_of_work) {
  asio::io_context io{1};
  client zk(io, options_for(shared_server().address(), 60s));
  mutex lock(zk, fresh_path());
  error_code result = errc::refused;
  lock.acquire([&](error_code, hold held) {
    // The hold is released in the background. The close waits for that, or ends the session.
    held = hold();
    zk.close([&](error_code error) { result = error; });
  });
  io.run_for(30s);
  BOOST_TEST(io.stopped());
  BOOST_TEST(!result);
}

BOOST_AUTO_TEST_CASE(release_under_way_completes_during_a_close) {
  for (int i = 0; i < 20; ++i) {
    closing_client s;
    hold held = get(s.lock.acquire(30s, asio::use_future));
    auto released = held.release(asio::use_future);
    auto closed = s.zk->close(asio::use_future);
    get(released);
    get(closed);
    BOOST_TEST(s.witness.children(s.path).empty());
  }
}

BOOST_AUTO_TEST_SUITE_END()

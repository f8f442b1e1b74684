// Closing a client on purpose.
#include <zklock/testing/relay.hpp>

#include "support/background.hpp"

#include <boost/test/unit_test.hpp>

#include <optional>

using namespace zklock;
using namespace zklock::test;

namespace {

struct scene {
  scene() : zk(std::in_place, context.io, options_for(door.address(), 60s)), lock(*zk, path) {}

  testing::relay door{shared_server().direct_address()};
  testing::raw_client witness{shared_server().direct_address()};
  const std::string path = fresh_path();
  background context;
  std::optional<client> zk;
  mutex lock;
};

} // namespace

BOOST_AUTO_TEST_SUITE(closing, *boost::unit_test::timeout(120))

BOOST_AUTO_TEST_CASE(it_gives_everything_back) {
  scene s;
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
  // At this very moment nothing is left.
  BOOST_TEST(s.witness.children(s.path) == std::vector<std::string>{"other"});
  BOOST_TEST(s.witness.children(s.path + "/other").empty());
  get(released);
  BOOST_TEST((get(lost) == errc::closed));
  BOOST_TEST((held.state() == hold_state::lost));
  // Who was let in by the release before the close is the only exception.
  const auto last = error_of(waiting.back());
  BOOST_TEST((last == errc::closed || !last));
  waiting.pop_back();
  for (auto& each : waiting)
    BOOST_TEST((error_of(each) == errc::closed));
  BOOST_TEST(!s.zk->connected());
  BOOST_TEST(!held.owns_lock());
  get(held.release(asio::use_future));
}

BOOST_AUTO_TEST_CASE(once_is_enough) {
  scene s;
  get(get(s.lock.acquire(30s, asio::use_future)).release(asio::use_future));
  auto first = s.zk->close(asio::use_future);
  auto second = s.zk->close(asio::use_future);
  get(first);
  BOOST_TEST((error_of(second) == errc::closed));
  BOOST_TEST((error_of(s.zk->close(asio::use_future)) == errc::closed));
}

BOOST_AUTO_TEST_CASE(nothing_can_be_acquired_afterwards) {
  scene s;
  get(get(s.lock.acquire(30s, asio::use_future)).release(asio::use_future));
  auto closed = s.zk->close(asio::use_future);
  // While it is closing, and once it is closed.
  for (int i = 0; i < 2; ++i) {
    BOOST_TEST((error_of(s.lock.acquire(asio::use_future)) == errc::closed));
    BOOST_TEST((error_of(s.lock.acquire(1s, asio::use_future)) == errc::closed));
    BOOST_TEST((error_of(s.lock.try_acquire(asio::use_future)) == errc::closed));
    mutex fresh(*s.zk, fresh_path());
    BOOST_TEST((error_of(fresh.acquire(asio::use_future)) == errc::closed));
    if (i == 0) get(closed);
  }
}

BOOST_AUTO_TEST_CASE(a_client_that_is_not_connected_cannot_tell_the_servers) {
  scene s;
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
  // They go with the session.
  BOOST_TEST(entries(s.witness, s.path) == 3u);
  BOOST_TEST(!held.owns_lock());
}

BOOST_AUTO_TEST_CASE(servers_that_do_not_answer_are_not_waited_for_long) {
  scene s;
  const hold held = get(s.lock.acquire(30s, asio::use_future));
  s.door.silence();
  const auto begin = std::chrono::steady_clock::now();
  BOOST_TEST((error_of(s.zk->close(asio::use_future)) == errc::not_connected));
  BOOST_TEST((std::chrono::steady_clock::now() - begin < 10s));
  BOOST_TEST(entries(s.witness, s.path) == 1u);
}

BOOST_AUTO_TEST_CASE(before_the_first_connection) {
  testing::relay door(shared_server().direct_address());
  door.refuse();
  background context;
  client zk(context.io, options_for(door.address()));
  auto waiting = mutex(zk, fresh_path()).acquire(asio::use_future);
  BOOST_TEST(!error_of(zk.close(asio::use_future)));
  BOOST_TEST((error_of(waiting) == errc::closed));
}

BOOST_AUTO_TEST_CASE(before_the_answer_to_the_handshake) {
  testing::relay door(shared_server().direct_address());
  door.silence(testing::direction::to_client);
  background context;
  client zk(context.io, options_for(door.address()));
  wait_until([&] { return door.requests(testing::operation::connect) == 1; });
  BOOST_TEST(!error_of(zk.close(asio::use_future)));
}

BOOST_AUTO_TEST_CASE(after_the_session_has_expired) {
  scene s;
  hold held = get(s.lock.acquire(30s, asio::use_future));
  auto lost = held.wait_lost(asio::use_future);
  s.door.refuse();
  wait_until([&] { return !s.zk->connected(); });
  shared_server().expire(s.zk->session_id());
  // It learns it at the next handshake, and a new session does not come into being.
  s.door.when(
      testing::direction::to_client,
      [](const testing::frame& each) { return each.kind == testing::operation::connect; },
      testing::reaction::silence_after);
  s.door.accept();
  BOOST_TEST((get(lost) == errc::session_expired));
  s.door.refuse();
  BOOST_TEST(!error_of(s.zk->close(asio::use_future)));
}

BOOST_AUTO_TEST_CASE(where_nothing_can_be_left_no_answer_is_needed) {
  for (const bool refused : {true, false}) {
    scene s;
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

BOOST_AUTO_TEST_CASE(an_entry_whose_deletion_is_not_confirmed_may_be_left) {
  scene s;
  hold held = get(s.lock.acquire(30s, asio::use_future));
  s.door.silence();
  auto released = held.release(asio::use_future);
  s.door.refuse();
  wait_until([&] { return !s.zk->connected(); });
  BOOST_TEST((error_of(s.zk->close(asio::use_future)) == errc::not_connected));
  BOOST_TEST((error_of(released) == errc::not_connected));
}

BOOST_AUTO_TEST_CASE(an_ephemeral_node_of_a_transaction_may_be_left) {
  scene s;
  hold held = get(s.lock.acquire(30s, asio::use_future));
  const auto node = fresh_path("node");
  get(held.commit(transaction().create(node, {}, node_kind::ephemeral), asio::use_future));
  get(held.release(asio::use_future));
  s.door.refuse();
  wait_until([&] { return !s.zk->connected(); });
  BOOST_TEST((error_of(s.zk->close(asio::use_future)) == errc::not_connected));
  BOOST_TEST(s.witness.exists(node).has_value());
}

BOOST_AUTO_TEST_CASE(it_lets_the_context_come_to_its_end) {
  asio::io_context io{1};
  client zk(io, options_for(shared_server().address(), 60s));
  mutex lock(zk, fresh_path());
  error_code result = errc::refused;
  lock.acquire([&](error_code, hold held) {
    // It goes on in the background, and the close waits for it or ends it with the session.
    held = hold();
    zk.close([&](error_code error) { result = error; });
  });
  io.run_for(30s);
  BOOST_TEST(io.stopped());
  BOOST_TEST(!result);
}

BOOST_AUTO_TEST_CASE(a_release_that_is_under_way_completes_whatever_it_meets) {
  for (int i = 0; i < 20; ++i) {
    scene s;
    hold held = get(s.lock.acquire(30s, asio::use_future));
    auto released = held.release(asio::use_future);
    auto closed = s.zk->close(asio::use_future);
    get(released);
    get(closed);
    BOOST_TEST(s.witness.children(s.path).empty());
  }
}

BOOST_AUTO_TEST_SUITE_END()

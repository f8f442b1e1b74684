// Locks while a server or a session ends.
#include "support/background.hpp"
#include "support/server_restorer.hpp"
#include "support/stat_of.hpp"

#include <boost/test/unit_test.hpp>

#include <atomic>

using namespace zklock;
using namespace zklock::test;

BOOST_AUTO_TEST_SUITE(failures, *boost::unit_test::timeout(240))

BOOST_AUTO_TEST_CASE(restarted_server_keeps_the_order_of_waiters) {
  const server_restorer restorer;
  auto& server = shared_server();
  background context;
  // Long enough for the session to outlast the pause.
  client zk(context.io, options_for(server.address(), 30s));
  client other(context.io, options_for(server.address(), 30s));
  const auto path = fresh_path();
  mutex lock(zk, path);
  mutex foreign(other, path);
  testing::raw_client before(server.direct_address());

  hold held = get(lock.acquire(30s, asio::use_future));
  std::vector<std::future<hold>> waiting;
  for (std::size_t i = 0; i < 6; ++i) {
    waiting.push_back((i % 2 == 0 ? foreign : lock).acquire(asio::use_future));
    wait_until([&] { return entries(before, path) == i + 2; });
  }
  const auto nodes = entries_in_line(before, path);

  server.kill();
  wait_until([&] { return held.state() == hold_state::in_doubt; });
  BOOST_TEST(held.owns_lock());
  server.start();
  wait_until([&] { return held.state() == hold_state::held && other.connected(); });

  testing::raw_client after(server.direct_address());
  BOOST_TEST(entries_in_line(after, path) == nodes, boost::test_tools::per_element());
  for (std::size_t i = 0; i < waiting.size(); ++i) {
    for (std::size_t later = i; later < waiting.size(); ++later)
      BOOST_TEST(!is_ready(waiting[later]));
    const auto token = held.token();
    held = hold();
    held = get(waiting[i]);
    BOOST_TEST(held.node() == nodes[i + 1]);
    BOOST_TEST(held.token() > token);
  }
  get(held.release(asio::use_future));
  BOOST_TEST(entries(after, path) == 0u);
}

BOOST_AUTO_TEST_CASE(waiter_is_requeued_when_the_session_expires) {
  auto& server = shared_server();
  background context;
  client zk(context.io, options_for(server.address()));
  const auto path = fresh_path();
  mutex lock(zk, path);
  testing::raw_client foreign(server.direct_address());

  const auto holder = create_foreign_entry(foreign, path);
  auto first = lock.acquire(asio::use_future);
  wait_until([&] { return entries(foreign, path) == 2; });
  auto second = lock.acquire(asio::use_future);
  wait_until([&] { return entries(foreign, path) == 3; });
  const auto session = zk.session_id();
  BOOST_TEST(server.expire(session));

  wait_until([&] { return zk.session_id() != session && entries(foreign, path) == 3; });
  BOOST_TEST(!is_ready(first));
  foreign.remove(holder);
  hold held = get(first);
  BOOST_TEST(stat_of(foreign, held.node()).czxid == held.token().transaction());
  BOOST_TEST(stat_of(foreign, held.node()).ephemeral_owner == zk.session_id());
  BOOST_TEST(!is_ready(second));
  held = hold();
  BOOST_TEST(get(second).owns_lock());
}

BOOST_AUTO_TEST_CASE(hold_survives_a_pause_of_the_server) {
  const server_restorer restorer;
  auto& server = shared_server();
  background context;
  client zk(context.io, options_for(server.address(), 9s));
  const auto path = fresh_path();
  mutex lock(zk, path);
  testing::raw_client witness(server.direct_address());

  hold held = get(lock.acquire(30s, asio::use_future));
  auto lost = held.wait_lost(asio::use_future);
  auto next = lock.acquire(asio::use_future);
  wait_until([&] { return entries(witness, path) == 2; });
  const auto session = zk.session_id();
  server.pause();
  auto meanwhile = lock.acquire(asio::use_future);
  wait_until([&] { return !zk.connected(); });
  BOOST_TEST((held.state() == hold_state::in_doubt));
  server.resume();

  wait_until([&] { return held.state() == hold_state::held; });
  BOOST_TEST(zk.session_id() == session);
  BOOST_TEST(!is_ready(lost));
  BOOST_TEST(!is_ready(next));
  get(held.release(asio::use_future));
  held = get(next);
  BOOST_TEST(!is_ready(meanwhile));
  held = hold();
  held = get(meanwhile);
  // It is granted before the delete of the hold before is confirmed.
  wait_until([&] { return entries(witness, path) == 1; });
}

BOOST_AUTO_TEST_CASE(acquire_outlasts_an_outage_of_all_servers) {
  const server_restorer restorer;
  auto& server = shared_server();
  server.stop();
  std::atomic<int> failures{0};
  background context;
  auto options = options_for(server.address());
  options.log = [&](log_level, std::string_view line) {
    failures += line.find("could not connect") != line.npos;
  };
  client zk(context.io, options);
  mutex lock(zk, fresh_path());

  auto waiting = lock.acquire(asio::use_future);
  BOOST_TEST((error_of(lock.acquire(200ms, asio::use_future)) == errc::not_connected));
  wait_until([&] { return failures >= 1; });
  BOOST_TEST(!is_ready(waiting));
  server.start();
  const hold held = get(waiting);
  BOOST_TEST(held.owns_lock());
  testing::raw_client witness(server.direct_address());
  BOOST_TEST(stat_of(witness, held.node()).czxid == held.token().transaction());
}

BOOST_AUTO_TEST_SUITE_END()

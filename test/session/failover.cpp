// Locks of an ensemble of three servers.
#include "shared_ensemble.hpp"
#include "support/background.hpp"
#include "support/stat_of.hpp"

#include <boost/test/unit_test.hpp>

#include <cstddef>
#include <future>
#include <list>
#include <optional>
#include <string>
#include <vector>

using namespace zklock;
using namespace zklock::test;

BOOST_AUTO_TEST_SUITE(failover, *boost::unit_test::timeout(300))

BOOST_AUTO_TEST_CASE(session_moves_to_another_server_when_its_server_is_killed) {
  const ensemble_restorer restorer;
  auto& servers = shared_ensemble();
  background context;
  client zk(context.io, options_for(servers.addresses(), 30s));
  const auto path = fresh_path();
  mutex lock(zk, path);
  hold held = get(lock.acquire(30s, asio::use_future));
  auto next = lock.acquire(asio::use_future);
  const auto lost = held.wait_lost(asio::use_future);
  const auto session = zk.session_id();

  // Twice, so that at least once the server is a follower.
  for (int i = 0; i < 2; ++i) {
    auto* const server = server_of_client();
    BOOST_REQUIRE(server);
    server->kill();
    wait_until([&] { return held.state() == hold_state::held && server_of_client(); });
    BOOST_TEST(server_of_client() != server);
    server->start();
    servers.wait_until_serving();
  }
  BOOST_TEST(zk.session_id() == session);
  BOOST_TEST(!is_ready(lost));
  BOOST_TEST(!is_ready(next));
  testing::raw_client witness(servers.leader().direct_address());
  BOOST_TEST(entries(witness, path) == 2u);
  const auto token = held.token();
  held = hold();
  held = get(next);
  BOOST_TEST(held.token() > token);
}

BOOST_AUTO_TEST_CASE(hold_survives_the_loss_of_the_leader) {
  const ensemble_restorer restorer;
  auto& servers = shared_ensemble();
  background context;
  client zk(context.io, options_for(servers.addresses(), 30s));
  client other(context.io, options_for(servers.addresses(), 30s));
  const auto path = fresh_path();
  mutex lock(zk, path);
  mutex foreign(other, path);
  hold held = get(lock.acquire(30s, asio::use_future));
  auto next = foreign.acquire(asio::use_future);
  auto& leader = servers.leader();
  leader.kill();
  // Without a leader no write is committed.
  wait_until([&] { return held.state() == hold_state::in_doubt; });
  wait_until([&] { return held.state() == hold_state::held; });
  const auto token = held.token();
  get(held.release(asio::use_future));
  held = get(next);
  BOOST_TEST(held.token() > token);
  testing::raw_client witness(servers.leader().direct_address());
  // The leader may apply the create later than the client's own server.
  wait_until([&] { return witness.exists(held.node()).has_value(); });
  BOOST_TEST(stat_of(witness, held.node()).czxid == held.token().transaction());
}

// The order that the guide for operators gives: each follower in turn, then the leader.
BOOST_AUTO_TEST_CASE(rolling_restart_loses_no_hold_and_no_waiter) {
  const ensemble_restorer restorer;
  auto& servers = shared_ensemble();
  servers.wait_until_serving();
  background context;
  const auto path = fresh_path();
  std::list<client> clients;
  std::vector<hold> holds;
  std::vector<std::future<error_code>> lost;
  std::vector<std::future<hold>> waiting;
  for (int i = 0; i < 6; ++i) {
    auto& zk = clients.emplace_back(context.io, options_for(servers.addresses(), 30s));
    holds.push_back(get(mutex(zk, path + std::to_string(i)).acquire(30s, asio::use_future)));
    lost.push_back(holds.back().wait_lost(asio::use_future));
  }
  // Each client waits for the lock of the next client.
  int next = 0;
  for (auto& zk : clients)
    waiting.push_back(mutex(zk, path + std::to_string(++next % 6)).acquire(120s, asio::use_future));

  {
    testing::raw_client witness(servers.leader().direct_address());
    for (int i = 0; i < 6; ++i)
      wait_until([&] { return entries(witness, path + std::to_string(i)) == 2u; });
  }

  std::vector<testing::server*> order;
  auto& leader = servers.leader();
  for (std::size_t i = 0; i < servers.size(); ++i)
    if (&servers[i] != &leader) order.push_back(&servers[i]);
  order.push_back(&leader);
  for (auto* server : order) {
    server->stop();
    server->start();
    servers.wait_until_serving();
  }

  for (auto& held : holds)
    wait_until([&] { return held.owns_lock(); });
  for (auto& outcome : lost)
    BOOST_TEST(!is_ready(outcome));
  for (auto& outcome : waiting)
    BOOST_TEST(!is_ready(outcome));
  std::vector<fencing_token> tokens;
  for (auto& held : holds) {
    tokens.push_back(held.token());
    held = hold();
  }
  for (std::size_t i = 0; i < waiting.size(); ++i)
    BOOST_TEST(get(waiting[i]).token() > tokens[(i + 1) % 6]);
}

// The follower answers pings and reads for sync_limit ticks, five seconds, while the leader ends
// the session after four.
BOOST_AUTO_TEST_CASE(follower_without_a_leader_proves_nothing) {
  const ensemble_restorer restorer;
  auto& servers = shared_ensemble();
  background context;
  auto& follower = servers.follower();
  auto options = options_for(follower.address(), 4s);
  options.check_interval = 1300ms;
  constexpr auto proven_for = 4s;
  client zk(context.io, options);
  const auto path = fresh_path();
  mutex lock(zk, path);
  const hold held = get(lock.acquire(30s, asio::use_future));
  auto lost = held.wait_lost(asio::use_future);
  testing::raw_client witness(servers.leader().direct_address());
  const auto session = zk.session_id();

  follower.cut_from_peers(testing::cut::silent);
  const auto cut_off = boot_clock::now();
  wait_until([&] { return !held.owns_lock(); });
  BOOST_TEST(witness.exists(held.node()).has_value());
  BOOST_TEST((held.valid_until() <= cut_off + proven_for));
  BOOST_TEST((held.state() == hold_state::in_doubt));
  wait_until([&] { return !witness.exists(held.node()); });
  BOOST_TEST(!held.owns_lock());
  BOOST_TEST((held.valid_until() <= cut_off + proven_for));
  BOOST_TEST(!is_ready(lost));

  servers.heal();
  BOOST_TEST((get(lost) == errc::session_expired));
  wait_until([&] { return zk.connected() && zk.session_id() != session; });
  const hold later = get(lock.acquire(30s, asio::use_future));
  BOOST_TEST(later.token() > held.token());
}

BOOST_AUTO_TEST_CASE(client_leaves_a_follower_that_lost_its_leader) {
  const ensemble_restorer restorer;
  auto& servers = shared_ensemble();
  servers.wait_until_serving();
  background context;
  std::optional<client> zk;
  // The client connects to a random server.
  do {
    zk.emplace(context.io, options_for(servers.addresses(), 30s));
    wait_until([&] { return zk->connected() && server_of_client(); });
  } while (server_of_client() == &servers.leader());
  auto& follower = *server_of_client();
  const auto path = fresh_path();
  mutex lock(*zk, path);
  const hold held = get(lock.acquire(30s, asio::use_future));
  const auto until = held.valid_until();
  const auto session = zk->session_id();
  follower.cut_from_peers(testing::cut::silent);
  // The follower gives up after sync_limit ticks.
  wait_until([&] { return server_of_client() && server_of_client() != &follower; });
  wait_until([&] { return held.valid_until() > until; });
  BOOST_TEST((held.state() == hold_state::held));
  BOOST_TEST(zk->session_id() == session);
}

// For up to a tick the old leader answers reads and syncs from its own state. That lacks the entry,
// which the new leader has committed since. The old leader refuses the client, which has seen that
// write.
BOOST_AUTO_TEST_CASE(deposed_leader_is_not_believed) {
  constexpr auto tick = 4000ms;
  testing::server_options slow{.tick_time = tick, .start_timeout = 30s};
  slow.max_session_timeout = 20 * tick;
  testing::ensemble servers(3, slow);
  background context;
  bool met = false;
  for (int round = 0; round < 10 && !met; ++round) {
    auto& old = servers.leader();
    std::vector<testing::server*> followers;
    for (std::size_t i = 0; i < servers.size(); ++i)
      if (&servers[i] != &old) followers.push_back(&servers[i]);
    auto options = options_for(old.address() + ',' + followers[0]->address(), 12 * tick);
    options.server_tick = tick;
    old.clients().refuse();
    client zk(context.io, options);
    const auto path = fresh_path();
    mutex lock(zk, path);
    wait_until([&] { return zk.connected(); });
    const auto session = zk.session_id();
    old.cut_from_peers(testing::cut::closed);
    // The follower grants the lock once the two have a leader.
    hold held = get(lock.acquire(60s, asio::use_future));
    const auto lost = held.wait_lost(asio::use_future);
    const auto before = old.clients().accepted();
    old.clients().accept();
    followers[0]->clients().refuse();
    wait_until([&] {
      met |= old.clients().accepted() != before;
      return met || old.mode() != "leader";
    });
    // The old leader answers until it notices.
    wait_until([&] { return old.mode() != "leader" || is_ready(lost); });
    BOOST_TEST(!is_ready(lost));
    followers[0]->clients().accept();
    servers.heal();
    const auto back = [&] { return held.state() != hold_state::in_doubt && zk.connected(); };
    wait_until(back);
    BOOST_TEST((held.state() == hold_state::held));
    BOOST_TEST(zk.session_id() == session);
    testing::raw_client witness(followers[1]->direct_address());
    BOOST_TEST(witness.exists(held.node()).has_value());
    get(held.release(asio::use_future));
    wait_until([&] { return entries(witness, path) == 0; });
    servers.wait_until_serving();
  }
  BOOST_TEST(met);
}

BOOST_AUTO_TEST_SUITE_END()

// Clients whose list of servers changes while they run.
#include "shared_ensemble.hpp"
#include "support/background.hpp"

#include <boost/test/unit_test.hpp>

#include <array>
#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

using namespace zklock;
using namespace zklock::test;
using testing::operation;

namespace {

constexpr auto nowhere = "127.0.0.1:1";

/// A client of the ensemble that holds a lock.
struct one_holder {
  explicit one_holder(const std::string& list = shared_ensemble().addresses())
      : zk(context.io, options_for(list, 30s)) {}

  testing::server& server() {
    testing::server* found = nullptr;
    wait_until([&] { return (found = server_of_client()) != nullptr; });
    return *found;
  }

  /// Waits until the client uses another server.
  void expect_move(const testing::server& from) {
    wait_until([&] {
      auto* const now = server_of_client();
      return now && now != &from && zk.state() == connection_state::reconnected;
    });
    wait_until([&] { return held.state() == hold_state::held; });
    expect_untouched();
  }

  /// Waits until the client has acquired another lock.
  void expect_grant() {
    const hold other = get(mutex(zk, fresh_path()).acquire(30s, asio::use_future));
    BOOST_TEST(other.owns_lock());
  }

  void expect_untouched() {
    BOOST_TEST(!is_ready(lost));
    BOOST_TEST(held.owns_lock());
    BOOST_TEST(held.token() == token);
    BOOST_TEST(zk.session_id() == session);
  }

  const ensemble_restorer restorer;
  background context;
  client zk;
  const std::string path = fresh_path();
  mutex lock{zk, path};
  hold held = get(lock.acquire(30s, asio::use_future));
  std::future<error_code> lost = held.wait_lost(asio::use_future);
  const fencing_token token = held.token();
  const std::int64_t session = zk.session_id();
};

/// The addresses of all servers but for one.
std::string all_but(const testing::server& without) {
  std::string list;
  for (std::size_t i = 0; i < shared_ensemble().size(); ++i)
    if (&shared_ensemble()[i] != &without)
      list.append(list.empty() ? "" : ",").append(shared_ensemble()[i].address());
  return list;
}

/// How many connections all servers have accepted.
std::uint64_t accepted() {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < shared_ensemble().size(); ++i)
    sum += shared_ensemble()[i].clients().accepted();
  return sum;
}

} // namespace

BOOST_AUTO_TEST_SUITE(list_changes, *boost::unit_test::timeout(300))

BOOST_AUTO_TEST_CASE(connection_stays_when_its_server_stays) {
  one_holder s;
  auto& server = s.server();
  const auto before = accepted();
  for (int i = 0; i < 10; ++i) {
    s.zk.set_servers(server.address());
    s.zk.set_servers(shared_ensemble().addresses());
  }
  s.expect_grant();
  BOOST_TEST(&s.server() == &server);
  BOOST_TEST(accepted() == before);
  BOOST_TEST(s.zk.stats().reconnects == 0u);
  BOOST_TEST((s.zk.state() == connection_state::connected));
  s.expect_untouched();
}

BOOST_AUTO_TEST_CASE(holder_and_waiters_keep_their_places_when_their_server_is_removed) {
  one_holder s;
  auto& server = s.server();
  auto next = s.lock.acquire(asio::use_future);
  testing::raw_client witness(shared_ensemble().leader().direct_address());
  wait_until([&] { return entries(witness, s.path) == 2u; });
  const auto behind = create_foreign_entry(witness, s.path);
  const auto line = entries_in_line(witness, s.path);

  s.zk.set_servers(all_but(server));
  s.expect_move(server);
  witness.sync(s.path);
  BOOST_TEST(entries_in_line(witness, s.path) == line, boost::test_tools::per_element());
  BOOST_TEST(!is_ready(next));
  s.held = hold();
  const hold later = get(next);
  BOOST_TEST(later.node() == line[1]);
  BOOST_TEST(later.token() > s.token);
  BOOST_TEST(witness.exists(behind).has_value());
}

BOOST_AUTO_TEST_CASE(new_list_revives_the_client_of_a_dead_server) {
  const ensemble_restorer restorer;
  auto& servers = shared_ensemble();
  servers.wait_until_serving();
  auto& dead = servers.follower();
  background context;
  client zk(context.io, options_for(dead.address(), 60s));
  client other(context.io, options_for(all_but(dead), 60s));
  const auto path = fresh_path();
  hold held = get(mutex(other, path).acquire(30s, asio::use_future));
  auto next = mutex(zk, path).acquire(asio::use_future);
  testing::raw_client witness(servers.leader().direct_address());
  wait_until([&] { return entries(witness, path) == 2u; });
  const auto node = entries_in_line(witness, path)[1];
  dead.kill();
  wait_until([&] { return !zk.connected(); });
  held = hold();
  zk.set_servers(all_but(dead));
  const hold later = get(next);
  BOOST_TEST(later.node() == node);
}

BOOST_AUTO_TEST_CASE(new_list_connects_a_client_that_has_not_connected_yet) {
  background context;
  client zk(context.io, options_for(nowhere));
  auto first = mutex(zk, fresh_path()).acquire(asio::use_future);
  zk.set_servers(shared_ensemble().addresses());
  BOOST_TEST(get(first).owns_lock());
  BOOST_TEST((zk.state() == connection_state::connected));
}

BOOST_AUTO_TEST_CASE(bad_list_is_refused_and_changes_nothing) {
  testing::raw_client witness(shared_ensemble().leader().direct_address());
  const auto chroot = fresh_path("chroot");
  witness.create_all(chroot);
  for (const auto& mine : {chroot, std::string()}) {
    one_holder s(shared_ensemble().addresses() + mine);
    const auto before = accepted();
    const std::pair<std::string, std::string> bad[] = {
        {"", "a server must be host:port, not empty"},
        {"zk1" + mine, "\"zk1\" must have a port"},
        {"zk1:2181/elsewhere",
         "the chroot must stay \"" + (mine.empty() ? "/" : mine) + "\", not become \"/elsewhere\""},
        {"zk1:2181" + (mine.empty() ? chroot : "/"), "the chroot must stay"},
    };
    for (const auto& [list, fault] : bad) {
      const auto names_both = [&, &refused = list, &why = fault](const auto& error) {
        const std::string text = error.what();
        return error.code() == errc::bad_servers && text.find('"' + refused + '"') != text.npos &&
               text.find(why) != text.npos;
      };
      BOOST_CHECK_EXCEPTION(s.zk.set_servers(list), boost::system::system_error, names_both);
    }
    s.zk.set_servers(shared_ensemble().addresses() + (mine.empty() ? "/" : mine));
    s.expect_grant();
    BOOST_TEST(accepted() == before);
    s.expect_untouched();
  }
}

BOOST_AUTO_TEST_CASE(lists_of_several_threads_move_the_session_and_one_of_them_stays) {
  one_holder s;
  auto& servers = shared_ensemble();
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < 3; ++i)
    threads.emplace_back([&, i] {
      for (std::size_t k = 0; k < 20; ++k)
        s.zk.set_servers(servers[(i + k) % servers.size()].address());
    });
  for (auto& each : threads)
    each.join();
  s.zk.set_servers(servers[1].address());
  wait_until([&] { return server_of_client() == &servers[1] && s.zk.connected(); });
  wait_until([&] { return s.held.state() == hold_state::held; });
  s.expect_untouched();
}

BOOST_AUTO_TEST_CASE(commit_without_a_reply_has_an_unknown_outcome_when_the_session_moves) {
  one_holder s;
  auto& server = s.server();
  const auto sent = server.requests(operation::multi);
  server.clients().silence(testing::direction::to_client);
  auto outcome = s.held.commit(transaction().create(s.path + "/result", "x"), asio::use_future);
  wait_until([&] { return server.requests(operation::multi) > sent; });
  s.zk.set_servers(all_but(server));
  BOOST_TEST((error_of(outcome) == errc::unknown_outcome));
  server.heal();
  s.expect_move(server);
}

namespace {

/// Names the servers that remain as soon as the connection is lost.
struct mover final : observer {
  void state_changed(connection_state now) override {
    if (now == connection_state::suspended) zk->set_servers(next);
  }

  client* zk = nullptr;
  std::string next;
};

} // namespace

BOOST_AUTO_TEST_CASE(observer_may_change_the_list) {
  const ensemble_restorer restorer;
  auto& servers = shared_ensemble();
  servers.wait_until_serving();
  auto& dead = servers.follower();
  background context;
  auto options = options_for(dead.address(), 30s);
  const auto by = std::make_shared<mover>();
  options.observer = by;
  by->next = all_but(dead);
  client zk(context.io, options);
  by->zk = &zk;
  const hold held = get(mutex(zk, fresh_path()).acquire(30s, asio::use_future));
  const auto session = zk.session_id();
  dead.kill();
  wait_until([&] { return zk.state() == connection_state::reconnected; });
  BOOST_TEST(held.owns_lock());
  BOOST_TEST(zk.session_id() == session);
}

BOOST_AUTO_TEST_CASE(list_of_a_closed_client_has_no_effect) {
  one_holder s;
  auto& server = s.server();
  get(s.zk.close(asio::use_future));
  const auto before = accepted();
  s.zk.set_servers(all_but(server));
  BOOST_TEST((error_of(s.zk.close(asio::use_future)) == errc::closed));
  BOOST_TEST((s.zk.state() == connection_state::closed));
  BOOST_TEST(accepted() == before);
  BOOST_CHECK_THROW(s.zk.set_servers("zk1"), boost::system::system_error);
}

BOOST_AUTO_TEST_SUITE_END()

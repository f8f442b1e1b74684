// Servers of old releases, which do not know all requests.
#include <zklock/testing/relay.hpp>

#include "support/world.hpp"
#include "zookeeper/old_server.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

using namespace zklock;
using namespace zklock::test;

namespace {

const std::set<int> unknown_before_3_5_0{15, 19};
const std::set<int> unknown_before_3_5_1{19};
const std::set<int> unknown_before_3_6_0{103};

struct old_server_setting {
  old_server_setting() { witness.create_all("/test"); }

  client_options options(const std::string& servers, parent_kind parents) {
    auto made = options_for(servers);
    made.parents = parents;
    made.connect_timeout = 400ms;
    made.log = [this](log_level, std::string_view line) { lines.emplace_back(line); };
    return made;
  }

  asio::awaitable<error_code> outcome(any_lock lock) {
    const auto result = co_await lock.acquire(asio::as_tuple(asio::deferred));
    co_return std::get<0>(result);
  }

  std::ptrdiff_t count_lines(std::string_view text) const {
    return std::count_if(lines.begin(), lines.end(),
                         [&](const std::string& each) { return each.find(text) != each.npos; });
  }

  asio::io_context io{1};
  testing::raw_client witness{shared_server().direct_address()};
  std::vector<std::string> lines;
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(old_servers, old_server_setting, *boost::unit_test::timeout(60))

BOOST_AUTO_TEST_CASE(acquire_without_a_deadline_fails_at_a_server_before_3_5) {
  for (const auto parents : {parent_kind::container, parent_kind::persistent}) {
    old_server server(io, shared_server().port(), unknown_before_3_5_0);
    client zk(io, options(server.address(), parents));
    lines.clear();
    run(io, [&]() -> asio::awaitable<void> {
      for (const auto& lock :
           {any_lock(mutex(zk, fresh_path())), any_lock(semaphore(zk, fresh_path(), 2))}) {
        const auto error = co_await outcome(lock);
        BOOST_TEST(error == errc::server_too_old);
      }
      mutex lock(zk, fresh_path());
      const auto [tried, none] = co_await lock.try_acquire(asio::as_tuple(asio::deferred));
      BOOST_TEST(tried == errc::server_too_old);
    });
    BOOST_TEST(server.clients() == 1);
    BOOST_TEST(count_lines(server.address() + ": it does not know a request") == 1);
  }
}

BOOST_AUTO_TEST_CASE(server_without_containers_serves_locks_in_persistent_directories) {
  old_server server(io, shared_server().port(), unknown_before_3_5_1);
  client zk(io, options(server.address(), parent_kind::container));
  client plain(io, options(server.address(), parent_kind::persistent));
  run(io, [&]() -> asio::awaitable<void> {
    const auto error = co_await outcome(mutex(zk, fresh_path()));
    BOOST_TEST(error == errc::server_too_old);
    mutex lock(plain, fresh_path());
    const hold held = co_await lock.acquire(10s);
    BOOST_TEST(held.owns_lock());
  });
}

BOOST_AUTO_TEST_CASE(old_server_is_skipped_for_a_good_one) {
  old_server server(io, shared_server().port(), unknown_before_3_5_0);
  run(io, [&]() -> asio::awaitable<void> {
    for (int i = 0; server.clients() < 2; ++i) {
      client zk(
          io, options(server.address() + ',' + shared_server().address(), parent_kind::container));
      mutex lock(zk, fresh_path());
      const hold held = co_await lock.acquire(30s);
      BOOST_TEST(held.owns_lock());
      BOOST_REQUIRE(i < 100);
    }
  });
}

BOOST_AUTO_TEST_CASE(acquire_waits_for_the_other_servers_where_one_is_old) {
  testing::relay door(shared_server().direct_address());
  door.refuse();
  old_server server(io, shared_server().port(), unknown_before_3_5_0);
  client zk(io, options(server.address() + ',' + door.address(), parent_kind::container));
  run(io, [&]() -> asio::awaitable<void> {
    std::vector<asio::awaitable<void>> both;
    both.push_back([](client& of) -> asio::awaitable<void> {
      mutex lock(of, fresh_path());
      const hold held = co_await lock.acquire();
      BOOST_TEST(held.owns_lock());
    }(zk));
    both.push_back([](const old_server& old, testing::relay& closed) -> asio::awaitable<void> {
      const auto tried_again = [&] { return old.clients() > 2; };
      co_await eventually(tried_again);
      closed.heal();
    }(server, door));
    co_await together(std::move(both));
  });
}

BOOST_AUTO_TEST_CASE(server_that_does_not_list_the_nodes_of_a_session_is_not_asked_again_soon) {
  old_server server(io, shared_server().port(), unknown_before_3_6_0);
  testing::relay door(server.address());
  client zk(io, options(door.address(), parent_kind::container));
  run(io, [&]() -> asio::awaitable<void> {
    mutex lock(zk, fresh_path());
    const hold held = co_await lock.acquire(30s);
    for (std::uint64_t reconnects : {2u, 3u}) {
      door.cut();
      const auto again = [&] { return zk.stats().reconnects >= reconnects && held.owns_lock(); };
      co_await eventually(again);
    }
    BOOST_TEST((held.state() == hold_state::held));
  });
  BOOST_TEST(server.clients() == 4);
  BOOST_TEST(count_lines("it does not know a request to list the session's nodes") >= 1);
}

BOOST_AUTO_TEST_SUITE_END()

// The nodes of a lock in ZooKeeper, and the fencing tokens that come from them.
#include "support/stat_of.hpp"
#include "support/world.hpp"

#include <boost/asio/ip/host_name.hpp>
#include <boost/asio/use_future.hpp>
#include <boost/test/unit_test.hpp>

#include <unistd.h>

#include <future>
#include <regex>
#include <string>
#include <vector>

using namespace zklock;
using namespace zklock::test;

namespace {

struct nodes {
  asio::io_context io{1};
  testing::raw_client witness{shared_server().direct_address()};
  client_options options = options_for(shared_server().address());
  std::string path = fresh_path();
};

bool is_no_permission(const testing::server_error& error) {
  return error.code() == -102;
}

} // namespace

BOOST_FIXTURE_TEST_SUITE(on_the_servers, nodes, *boost::unit_test::timeout(60))

BOOST_AUTO_TEST_CASE(entry_is_named_as_curator_names_it) {
  client zk(io, options);
  run(io, [&]() -> asio::awaitable<void> {
    mutex lock(zk, path);
    for (int i = 0; i < 3; ++i) {
      hold held = co_await lock.acquire(10s);
      const auto names = witness.children(path);
      BOOST_TEST_REQUIRE(names.size() == 1u);
      const std::regex form("_c_[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}-lock-[0-9]{10}");
      BOOST_TEST(std::regex_match(names[0], form), names[0]);
      BOOST_TEST(std::stoi(names[0].substr(names[0].size() - 10)) == i);
      BOOST_TEST(held.node() == path + "/" + names[0]);
      const auto stat = witness.exists(held.node());
      BOOST_TEST_REQUIRE(stat.has_value());
      BOOST_TEST(stat->ephemeral_owner == zk.session_id());
      BOOST_TEST((held.token() == fencing_token(stat->czxid, 0)));
      co_await held.release();
    }
  });
}

BOOST_AUTO_TEST_CASE(entry_data_is_the_identity_of_its_client) {
  client nameless(io, options);
  options.identity = "the till by the door, \xc3\xa9tage 2";
  client named(io, options);
  run(io, [&]() -> asio::awaitable<void> {
    for (auto* zk : {&nameless, &named}) {
      mutex lock(*zk, path);
      hold held = co_await lock.acquire(10s);
      const auto data = witness.get(held.node()).data;
      const auto process = asio::ip::host_name() + ":" + std::to_string(::getpid());
      BOOST_TEST(data == (zk == &named ? options.identity : process));
      co_await held.release();
    }
  });
}

// The servers do not tell which nodes are containers: it shows when they delete a container.
BOOST_AUTO_TEST_CASE(missing_directory_is_created_as_container_or_persistent) {
  testing::server reaping({.container_check_interval = 50ms});
  witness = testing::raw_client(reaping.direct_address());
  options.servers = reaping.address();
  client zk(io, options);
  options.parents = parent_kind::persistent;
  client persistent(io, options);
  run(io, [&]() -> asio::awaitable<void> {
    mutex lock(zk, "/containers/a/b");
    mutex lasting(persistent, "/persistent/a/b");
    fencing_token last;
    for (int uses = 1; uses <= 3; ++uses) {
      for (int i = 0; i < uses; ++i) {
        hold held = co_await lock.acquire(10s);
        BOOST_TEST(last < held.token());
        last = held.token();
        co_await held.release();
        held = co_await lasting.acquire(10s);
        co_await held.release();
      }
      const auto gone = [&] { return !witness.exists("/containers"); };
      co_await eventually(gone);
      BOOST_TEST(witness.exists("/persistent/a/b").has_value());
    }
    // A container in use stays.
    const hold held = co_await lock.acquire(10s);
    mutex brief(zk, "/brief");
    hold other = co_await brief.acquire(10s);
    co_await other.release();
    const auto gone = [&] { return !witness.exists("/brief"); };
    co_await eventually(gone);
    BOOST_TEST(witness.exists(held.node()).has_value());
    BOOST_TEST(held.owns_lock());
  });
}

BOOST_AUTO_TEST_CASE(existing_directory_stays_as_it_is) {
  witness.create_all(path);
  witness.set(path, "kept");
  client zk(io, options);
  run(io, [&]() -> asio::awaitable<void> {
    mutex lock(zk, path);
    const hold held = co_await lock.acquire(10s);
    BOOST_TEST(stat_of(witness, path).ephemeral_owner == 0);
    BOOST_TEST(witness.get(path).data == "kept");
  });
}

BOOST_AUTO_TEST_CASE(all_nodes_get_the_access_list) {
  // The directory above is open to all, so that other locks can be made beside this lock.
  witness.create_all(path);
  options.credentials = {{.secret = "till:open sesame"}};
  options.access = {{.scheme = "auth", .id = ""}, {permission::read, "digest", "watcher:hash"}};
  client zk(io, options);
  run(io, [&]() -> asio::awaitable<void> {
    mutex lock(zk, path + "/a/b");
    const hold held = co_await lock.acquire(10s);
    for (const auto& each : {path + "/a", path + "/a/b", held.node()})
      BOOST_CHECK_EXCEPTION(witness.get(each), testing::server_error, is_no_permission);
    witness.add_auth("digest", "till:open sesame");
    for (const auto& each : {path + "/a", path + "/a/b", held.node()})
      BOOST_CHECK_NO_THROW(witness.get(each));
  });
}

BOOST_AUTO_TEST_CASE(tokens_rise_across_clients_and_directories) {
  client zk(io, options);
  client other(io, options);
  run(io, [&]() -> asio::awaitable<void> {
    mutex lock(zk, path);
    mutex foreign(other, path);
    std::vector<fencing_token> tokens;
    for (int round = 0; round < 4; ++round) {
      for (auto* each : {&lock, &lock, &foreign}) {
        hold held = co_await each->acquire(20s);
        tokens.push_back(held.token());
        co_await held.release();
      }
      if (round == 0) {
        BOOST_TEST(shared_server().expire(zk.session_id()));
      } else if (round == 1) {
        witness.remove_all(path);
      } else {
        // A new directory of any kind does not matter.
        witness.remove_all(path);
        witness.create_all(path);
      }
    }
    fencing_token last;
    for (const auto& token : tokens) {
      BOOST_TEST(last < token);
      BOOST_TEST(last.to_string() < token.to_string());
      last = token;
    }
  });
}

BOOST_AUTO_TEST_CASE(directory_deleted_while_waiters_exist_is_created_again) {
  client zk(io, options);
  run(io, [&]() -> asio::awaitable<void> {
    mutex lock(zk, path);
    hold held = co_await lock.acquire(10s);
    auto waiting = asio::co_spawn(io, lock.acquire(20s, asio::use_awaitable), asio::use_future);
    co_await wait_for_entries(witness, path, 2);
    const auto token = held.token();
    witness.remove_all(path);
    const auto granted = [&] { return waiting.wait_for(0s) == std::future_status::ready; };
    co_await eventually(granted);
    hold next = waiting.get();
    BOOST_TEST(token < next.token());
    BOOST_TEST(next.owns_lock());
    BOOST_TEST(!held.owns_lock());
    BOOST_TEST((held.state() == hold_state::lost));
    BOOST_TEST(witness.children(path).size() == 1u);
  });
}

BOOST_AUTO_TEST_SUITE_END()

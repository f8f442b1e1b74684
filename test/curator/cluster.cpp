// Curator's tests with a whole cluster, with access control lists and with faults.
#include <zklock/testing/ensemble.hpp>
#include <zklock/testing/relay.hpp>

#include "holding.hpp"
#include "support/background.hpp"
#include "support/stat_of.hpp"
#include "testing/relay_hooks.hpp"

#include <boost/test/unit_test.hpp>

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

using namespace zklock;
using namespace zklock::test;

BOOST_AUTO_TEST_SUITE(curator_cluster, *boost::unit_test::timeout(180))

// A client holds before and after, and no client while the servers are gone for longer than the
// session. The servers restart at their addresses.
BOOST_AUTO_TEST_CASE(killed_server_with_ensemble_provider) {
  testing::ensemble servers(3);
  background context;
  client zk(context.io, options_for(servers.addresses(), 3s));
  semaphore lock(zk, "/semaphore", 1);
  hold held = take(lock);
  auto waiting = lock.acquire(asio::use_future);
  BOOST_TEST(held.owns_lock());
  servers.stop();
  wait_until([&] { return !held.owns_lock(); });
  BOOST_TEST(!is_ready(waiting));
  servers.start();
  // Whether the session survives is the servers' decision; never do both clients hold.
  held = hold();
  hold next = get(waiting);
  BOOST_TEST(next.owns_lock());
  BOOST_TEST(!held.owns_lock());
}

// With fewer servers than before, as long as they are a quorum; and never two holders: Curator's
// check of that is inverted.
BOOST_AUTO_TEST_CASE(cluster) {
  constexpr int clients = 20;
  testing::ensemble servers(3);
  background context(2);
  std::vector<std::unique_ptr<client>> all;
  std::vector<std::thread> threads;
  std::atomic<int> inside{0}, turns{0};
  std::atomic<bool> overlapped{false}, over{false};
  for (int i = 0; i < clients; ++i) {
    all.push_back(std::make_unique<client>(context.io, options_for(servers.addresses(), 20s)));
    threads.emplace_back([&, lock = semaphore(*all.back(), "/semaphore", 1)]() mutable {
      while (!over) {
        hold held;
        try {
          held = get(lock.acquire(20s, asio::use_future));
        } catch (const boost::system::system_error&) {
          continue;
        }
        overlapped = overlapped || ++inside != 1;
        ++turns;
        --inside;
      }
    });
  }
  wait_until([&] { return turns >= 100; });
  for (std::size_t i = 0; i < servers.size(); ++i)
    servers[i].kill();
  wait_until([&] {
    for (const auto& each : all)
      if (each->connected()) return false;
    return true;
  });
  const int before = turns;
  servers[0].start();
  servers[1].start();
  wait_until([&] { return turns >= before + 100; }, 60s);
  over = true;
  for (auto& each : threads)
    each.join();
  BOOST_TEST(!overlapped);
}

BOOST_AUTO_TEST_CASE(lock_acls) {
  background context;
  testing::raw_client witness(shared_server().direct_address());
  auto options = options_for(shared_server().address());
  options.credentials = {{"digest", "user:password"}};
  options.access = {{.permissions = permission::all, .scheme = "auth", .id = ""}};
  client zk(context.io, options);
  const auto path = fresh_path();
  mutex lock(zk, path);
  hold held = take(lock);
  // Without the credentials neither the entries nor the directory's children can be read.
  BOOST_CHECK_THROW(witness.children(path), testing::server_error);
  BOOST_CHECK_THROW(witness.get(held.node()), testing::server_error);
  client unauthorized(context.io, options_for(shared_server().address()));
  mutex theirs(unauthorized, path);
  BOOST_TEST((error_of(theirs.acquire(10s, asio::use_future)) == errc::no_permission));
  give_back(held);
}

// A client of zklock has a single list for all its nodes.
BOOST_AUTO_TEST_CASE(acls_creating_parents) {
  background context;
  testing::raw_client witness(shared_server().direct_address());
  auto options = options_for(shared_server().address());
  options.credentials = {{"digest", "user:password"}};
  options.access = {{.permissions = permission::all, .scheme = "auth", .id = ""}};
  client zk(context.io, options);
  const auto above = fresh_path("parents");
  mutex lock(zk, above + "/a/b");
  hold held = take(lock);
  for (const auto& path : {above, above + "/a", above + "/a/b"})
    BOOST_CHECK_THROW(witness.children(path), testing::server_error);
  witness.add_auth("digest", "user:password");
  BOOST_TEST(witness.children(above + "/a/b").size() == 1u);
}

// The list that follows the create fails: the created entry is deleted.
BOOST_AUTO_TEST_CASE(node_deleted_cleanly_with_faults) {
  background context;
  testing::raw_client witness(shared_server().direct_address());
  const auto path = fresh_path();
  witness.create_all("/test");
  witness.add_auth("digest", "witness:password");
  // Every client may create and delete entries here, but only the witness may list the entries.
  witness.create(path, "", testing::create_mode::persistent,
                 {{.permissions = 4 | 8 | 16, .scheme = "world", .id = "anyone"},
                  {.permissions = 31, .scheme = "auth", .id = ""}});
  // The very first entry of a directory needs no list.
  witness.remove(witness.create(path + "/", "", testing::create_mode::ephemeral_sequential));
  client zk(context.io, options_for(shared_server().address()));
  mutex lock(zk, path);
  BOOST_TEST(error_of(lock.acquire(10s, asio::use_future)) == errc::no_permission);
  wait_until([&] { return stat_of(witness, path).num_children == 0; });
}

// The server fails in the middle, and the session with it: there is a single clear error.
BOOST_AUTO_TEST_CASE(attempt_lock_failed_exception) {
  testing::server own;
  background context;
  client zk(context.io, options_for(own.address(), 2s));
  mutex lock(zk, "/lock");
  { hold warm = take(lock); }
  testing::raw_client witness(own.direct_address());
  wait_until([&] { return entries(witness, "/lock") == 0; });
  const auto hook =
      testing::relay_hooks(own.clients()).cut_before_reply(testing::operation::create2);
  auto waiting = lock.acquire(4s, asio::use_future);
  hook.wait();
  own.kill();
  BOOST_TEST((error_of(waiting) == errc::not_connected));
  own.start();
  testing::raw_client again(own.direct_address());
  wait_until([&] { return entries(again, "/lock") == 0; });
}

BOOST_AUTO_TEST_SUITE_END()

// Lock directories that cannot be used, or that other programs use, too.
#include "support/scene.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/test/unit_test.hpp>

#include <string>

using namespace zklock;
using namespace zklock::test;
using testing::create_mode;

namespace {

// The permissions of other clients on a node. Its owner has all permissions.
enum may { nothing = 0, read = 1, write = 2, create = 4, remove = 8 };

struct directory_setting : scene {
  testing::raw_client& owner = witness;

  directory_setting() { owner.add_auth("digest", "owner:secret"); }

  void make(const std::string& node, int rights) {
    owner.create_all(node.substr(0, node.rfind('/')));
    std::vector<testing::access> list{testing::creator_access()};
    if (rights != nothing) list.push_back({rights, "world", "anyone"});
    owner.create(node, {}, create_mode::persistent, list);
    // The very first entry of a directory needs no list.
    owner.remove(owner.create(node + "/lock-", {}, create_mode::persistent_sequential));
  }

  asio::awaitable<void> expect_no_permission(mutex lock) {
    const auto waited = co_await lock.acquire(20s, asio::as_tuple(asio::deferred));
    BOOST_TEST(std::get<0>(waited) == errc::no_permission);
    BOOST_TEST(std::get<0>(waited) == boost::system::errc::permission_denied);
    const auto tried = co_await lock.try_acquire(asio::as_tuple(asio::deferred));
    BOOST_TEST(std::get<0>(tried) == errc::no_permission);
  }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(bad_directories, directory_setting, *boost::unit_test::timeout(60))

BOOST_AUTO_TEST_CASE(acquire_where_nothing_may_be_created_fails) {
  make(path, may::read | may::remove);
  run(io, [&]() -> asio::awaitable<void> {
    co_await expect_no_permission({zk, path});
    BOOST_TEST(entries(owner, path) == 0u);
  });
}

BOOST_AUTO_TEST_CASE(acquire_where_the_directory_may_not_be_created_fails) {
  make(path, may::read);
  run(io, [&]() -> asio::awaitable<void> {
    co_await expect_no_permission({zk, path + "/lock"});
    co_await expect_no_permission({zk, path + "/a/b/lock"});
    BOOST_TEST(entries(owner, path) == 0u);
  });
}

BOOST_AUTO_TEST_CASE(acquire_where_listing_is_denied_fails_and_leaves_nothing) {
  make(path, may::create | may::remove);
  run(io, [&]() -> asio::awaitable<void> {
    co_await expect_no_permission({zk, path});
    co_await wait_for_entries(owner, path, 0);
  });
}

BOOST_AUTO_TEST_CASE(entry_that_may_not_be_deleted_goes_with_the_session) {
  make(path, may::read | may::create);
  client other(io, options_for(shared_server().address()));
  run(io, [&]() -> asio::awaitable<void> {
    mutex lock(zk, path);
    mutex foreign(other, path);
    hold held = co_await lock.acquire(10s);
    const auto node = held.node();
    const auto released = co_await held.release(asio::as_tuple(asio::deferred));
    BOOST_TEST(std::get<0>(released) == errc::no_permission);
    BOOST_TEST((held.state() == hold_state::empty));
    // Waiters of other clients wait until the session ends.
    const auto waited = co_await foreign.acquire(200ms, asio::as_tuple(asio::deferred));
    BOOST_TEST(std::get<0>(waited) == errc::timed_out);
    BOOST_TEST(owner.exists(node).has_value());
    co_await zk.close();
    BOOST_TEST(!owner.exists(node).has_value());
    co_await other.close();
    BOOST_TEST(entries(owner, path) == 0u);
  });
}

BOOST_AUTO_TEST_CASE(client_with_the_credentials_has_all_permissions) {
  make(path, may::nothing);
  auto options = options_for(shared_server().address());
  options.credentials = {{.secret = "owner:secret"}};
  client insider(io, options);
  run(io, [&]() -> asio::awaitable<void> {
    co_await expect_no_permission({zk, path});
    mutex lock(insider, path);
    hold held = co_await lock.acquire(10s);
    BOOST_TEST(held.owns_lock());
    co_await held.release();
    BOOST_TEST(entries(owner, path) == 0u);
  });
}

BOOST_AUTO_TEST_CASE(denied_lock_does_not_stop_other_locks) {
  make(path + "/guarded", may::nothing);
  run(io, [&]() -> asio::awaitable<void> {
    co_await expect_no_permission({zk, path + "/guarded"});
    mutex open(zk, path + "/open");
    const hold held = co_await open.acquire(10s);
    BOOST_TEST(held.owns_lock());
  });
}

BOOST_AUTO_TEST_CASE(acquire_below_an_ephemeral_node_fails) {
  owner.create_all(path);
  owner.create(path + "/brief", {}, create_mode::ephemeral);
  run(io, [&]() -> asio::awaitable<void> {
    for (const auto* below : {"", "/a", "/a/b"}) {
      mutex lock(zk, path + "/brief" + below);
      const auto waited = co_await lock.acquire(20s, asio::as_tuple(asio::deferred));
      BOOST_TEST(std::get<0>(waited) == errc::not_a_directory);
      const auto tried = co_await lock.try_acquire(asio::as_tuple(asio::deferred));
      BOOST_TEST(std::get<0>(tried) == errc::not_a_directory);
    }
    owner.remove(path + "/brief");
    mutex lock(zk, path + "/brief/a");
    const hold held = co_await lock.acquire(10s);
    BOOST_TEST(held.owns_lock());
  });
}

BOOST_AUTO_TEST_CASE(children_that_are_no_entries_are_ignored) {
  owner.create_all(path);
  for (const auto* name :
       {"config", "0", "x-1", "lock", "0123456789", "lock-", "lock-123", "lock-12345x7890",
        "_c_21b80b3c-9b67-4dd5-8ea1-e1b4e3bba0ae-lock-", "lease-0000000000", "a b", "..."})
    owner.create(path + "/" + name, "data");
  const auto other_children = entries(owner, path);
  client other(io, options_for(shared_server().address()));
  run(io, [&]() -> asio::awaitable<void> {
    mutex lock(zk, path);
    mutex foreign(other, path);
    for (int i = 0; i < 3; ++i) {
      hold held = co_await lock.acquire(10s);
      BOOST_TEST(!(co_await foreign.try_acquire()));
      auto next = asio::co_spawn(io, foreign.acquire(10s, asio::use_awaitable), asio::use_future);
      co_await wait_for_entries(owner, path, other_children + 2);
      co_await held.release();
      const auto granted = [&] { return next.wait_for(0s) == std::future_status::ready; };
      co_await eventually(granted);
      held = next.get();
      BOOST_TEST(held.owns_lock());
      co_await held.release();
      // Such children come and go, too.
      owner.create(path + "/other-" + std::to_string(i));
      owner.remove(path + "/other-" + std::to_string(i));
    }
    BOOST_TEST(entries(owner, path) == other_children);
  });
}

BOOST_AUTO_TEST_SUITE_END()

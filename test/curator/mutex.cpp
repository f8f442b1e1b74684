// Curator's tests of InterProcessMutex, InterProcessMultiLock and InterProcessSemaphoreMutex.
//
// Each test of Curator's locks has its counterpart in this folder, with its name in snake case:
// testLocker is `locker`. A comment names each difference. testPersistentLock has none: a lock that
// outlives its session blocks all clients when its holder has crashed. testLockPath is a test of
// `lock_definition`.
#include "holding.hpp"
#include "support/scene.hpp"

#include <boost/asio/error.hpp>
#include <boost/test/unit_test.hpp>

#include <atomic>
#include <optional>
#include <thread>
#include <vector>

using namespace zklock;
using namespace zklock::test;

BOOST_AUTO_TEST_SUITE(curator_mutex, *boost::unit_test::timeout(120))

namespace {

struct locked : blocking_scene {
  explicit locked(int threads = 1) : blocking_scene({.threads = threads}) {}

  mutex lock{zk, path};
};

} // namespace

BOOST_AUTO_TEST_CASE(locker) {
  locked s;
  {
    const hold held = take(s.lock);
    BOOST_TEST(held.owns_lock());
    BOOST_TEST(entries(s.witness, s.path) == 1u);
  }
  wait_until([&] { return entries(s.witness, s.path) == 0; });
}

// Both acquire the lock in the end, whether the server or the connection goes.
BOOST_AUTO_TEST_CASE(waiting_process_killed_server) {
  testing::server own;
  background context;
  client zk(context.io, options_for(own.address(), 30s));
  mutex lock(zk, "/lock");
  hold held = take(lock);
  auto waiting = lock.acquire(60s, asio::use_future);
  {
    testing::raw_client witness(own.direct_address());
    wait_until([&] { return entries(witness, "/lock") == 2; });
  }
  own.kill();
  wait_until([&] { return !zk.connected(); });
  own.start();
  give_back(held);
  hold next = get(waiting);
  BOOST_TEST(next.owns_lock());
  give_back(next);
}

// Holder and waiter share a client: the holder loses the lock, and the waiter is granted it on the
// new session. Tests `wait_lost`, too.
BOOST_AUTO_TEST_CASE(killed_session) {
  locked s;
  hold held = take(s.lock);
  auto lost = held.wait_lost(asio::use_future);
  auto waiting = s.lock.acquire(30s, asio::use_future);
  wait_until([&] { return entries(s.witness, s.path) == 2; });
  const auto session = s.zk.session_id();
  BOOST_TEST(shared_server().expire(session));
  BOOST_TEST((get(lost) == errc::session_expired));
  BOOST_TEST(!held.owns_lock());
  hold next = get(waiting);
  BOOST_TEST(next.owns_lock());
  BOOST_TEST(s.zk.session_id() != session);
}

// Tests also that the lock works again.
BOOST_AUTO_TEST_CASE(container_cleanup) {
  testing::server own({.container_check_interval = 10ms});
  testing::raw_client witness(own.direct_address());
  background context;
  client zk(context.io, options_for(own.address(), 30s));
  witness.create_all("/parent");
  mutex lock(zk, "/parent/lock");
  std::vector<std::future<hold>> waiting;
  for (int i = 0; i < 10; ++i)
    waiting.push_back(lock.acquire(30s, asio::use_future));
  for (auto& each : waiting) {
    hold held = get(each);
    give_back(held);
  }
  wait_until([&] { return !witness.exists("/parent/lock"); });
  // The directory comes back when it is needed.
  hold again = take(lock);
  BOOST_TEST(again.owns_lock());
}

// A chroot takes the place of Curator's namespace.
BOOST_AUTO_TEST_CASE(with_namespace) {
  locked s;
  const auto chroot = fresh_path("namespace");
  s.witness.create_all(chroot);
  client inside(s.io, options_for(shared_server().address() + chroot));
  mutex lock(inside, "/lock");
  hold held = take(lock);
  BOOST_TEST(entries(s.witness, chroot + "/lock") == 1u);
  BOOST_TEST(held.node().starts_with(chroot + "/lock/_c_"));
  give_back(held);
  BOOST_TEST(entries(s.witness, chroot + "/lock") == 0u);
}

// Ten owners share a lock object, each with two holds at a time.
BOOST_AUTO_TEST_CASE(reentrant_single_lock) {
  locked s(2);
  std::atomic<int> inside{0};
  std::atomic<bool> overlapped{false};
  std::vector<std::thread> threads;
  for (int i = 0; i < 10; ++i)
    threads.emplace_back([&] {
      const owner me;
      hold outer = take(s.lock, {.timeout = 60s, .owner = me});
      overlapped = overlapped || ++inside != 1;
      hold inner = take(s.lock, {.timeout = 60s, .owner = me});
      overlapped = overlapped || !inner.owns_lock() || inside != 1;
      give_back(inner);
      overlapped = overlapped || !outer.owns_lock() || --inside != 0;
      give_back(outer);
    });
  for (auto& each : threads)
    each.join();
  BOOST_TEST(!overlapped);
}

// Owners take the place of threads. Asserts also that the other owner fails.
BOOST_AUTO_TEST_CASE(reentrant_2_threads) {
  locked s;
  const owner one, two;
  std::vector<hold> depth;
  for (int i = 0; i < 3; ++i)
    depth.push_back(take(s.lock, {.timeout = 10s, .owner = one}));
  for (; !depth.empty(); depth.pop_back()) {
    BOOST_TEST((error_of(s.lock.acquire({.timeout = 100ms, .owner = two}, asio::use_future)) ==
                errc::timed_out));
    give_back(depth.back());
  }
  hold other = take(s.lock, {.timeout = 10s, .owner = two});
  BOOST_TEST(other.owns_lock());
}

BOOST_AUTO_TEST_CASE(reentrant) {
  locked s;
  const owner me;
  hold first = take(s.lock, {.owner = me});
  hold second = take(s.lock, {.owner = me});
  hold third = take(s.lock, {.owner = me});
  BOOST_TEST(entries(s.witness, s.path) == 1u);
  for (hold* const each : {&third, &second, &first}) {
    BOOST_TEST(first.owns_lock());
    BOOST_TEST(entries(s.witness, s.path) == 1u);
    give_back(*each);
  }
  BOOST_TEST(entries(s.witness, s.path) == 0u);
}

BOOST_AUTO_TEST_CASE(two_clients) {
  locked s;
  client other(s.io, options_for(shared_server().address()));
  mutex theirs(other, s.path);
  hold ours = take(s.lock);
  auto waiting = theirs.acquire(30s, asio::use_future);
  wait_until([&] { return entries(s.witness, s.path) == 2; });
  BOOST_TEST(!is_ready(waiting));
  give_back(ours);
  hold next = get(waiting);
  BOOST_TEST(next.owns_lock());
  BOOST_TEST(!ours.owns_lock());
  BOOST_TEST(!get(s.lock.try_acquire(asio::use_future)));
}

// Curator checks its nodes against a schema; zklock has none, so their kinds are tested.
BOOST_AUTO_TEST_CASE(with_schema) {
  locked s;
  auto options = options_for(shared_server().address());
  options.identity = "shop 7";
  client named(s.io, options);
  mutex lock(named, s.path);
  hold held = take(lock);
  const auto node = s.witness.get(held.node());
  BOOST_TEST(node.data == "shop 7");
  BOOST_TEST(node.stat.ephemeral_owner == named.session_id());
  const auto parent = s.witness.get(s.path);
  BOOST_TEST(parent.data == "");
  BOOST_TEST(parent.stat.ephemeral_owner == 0);
}

// From Curator's tests of its asynchronous wrappers.
BOOST_AUTO_TEST_CASE(async_basic) {
  locked s;
  std::promise<void> done;
  s.lock.acquire([&](error_code error, hold held) {
    BOOST_TEST(!error.failed());
    held.release([&](error_code released) {
      BOOST_TEST(!released.failed());
      done.set_value();
    });
  });
  get(done.get_future());
  BOOST_TEST(entries(s.witness, s.path) == 0u);
}

BOOST_AUTO_TEST_CASE(async_contention) {
  locked s;
  const hold held = take(s.lock);
  BOOST_TEST((error_of(s.lock.acquire(100ms, asio::use_future)) == errc::timed_out));
  wait_until([&] { return entries(s.witness, s.path) == 1; });
}

BOOST_AUTO_TEST_SUITE_END()

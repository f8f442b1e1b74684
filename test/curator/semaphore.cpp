// Curator's tests of InterProcessSemaphoreV2.
#include "holding.hpp"
#include "support/scene.hpp"
#include "testing/relay_hooks.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>
#include <boost/test/unit_test.hpp>

#include <atomic>
#include <future>
#include <mutex>
#include <random>
#include <thread>
#include <vector>

using namespace zklock;
using namespace zklock::test;

BOOST_AUTO_TEST_SUITE(curator_semaphore, *boost::unit_test::timeout(180))

namespace {

struct leased : blocking_scene {
  explicit leased(int threads = 1) : blocking_scene({.threads = threads}) {}

  std::size_t leases() { return entries(witness, path + "/leases"); }
  std::size_t waiting() { return entries(witness, path + "/locks"); }
};

// The number in use at a time, and the most so far.
class gauge {
 public:
  void add(int count) {
    const int now = used_ += count;
    for (int seen = most_; now > seen;)
      if (most_.compare_exchange_weak(seen, now)) break;
  }
  void remove(int count) { used_ -= count; }
  int most() const { return most_; }
  int used() const { return used_; }

 private:
  std::atomic<int> used_{0}, most_{0};
};

} // namespace

// The server dies at a moment when the permit may or may not have been created.
BOOST_AUTO_TEST_CASE(acquire_after_lost_server) {
  testing::server own;
  background context(2);
  constexpr int clients = 10;
  std::vector<std::unique_ptr<client>> all;
  std::vector<semaphore> locks;
  for (int i = 0; i < clients; ++i) {
    all.push_back(std::make_unique<client>(context.io, options_for(own.address(), 4s)));
    locks.emplace_back(*all.back(), "/semaphore", 1);
  }
  { const hold first = take(locks[0]); }
  const auto hook = testing::relay_hooks(own.clients()).cut_before_reply(testing::operation::multi);
  std::atomic<int> served{0};
  std::vector<std::thread> threads;
  for (auto& lock : locks)
    threads.emplace_back([&, lock]() mutable {
      for (int turn = 0; turn < 3; ++turn) {
        hold held = take(lock);
        ++served;
        give_back(held);
      }
    });
  hook.wait();
  own.kill();
  own.start();
  for (auto& each : threads)
    each.join();
  BOOST_TEST(served == 3 * clients);
  testing::raw_client witness(own.direct_address());
  wait_until([&] { return entries(witness, "/semaphore/leases") == 0; });
}

BOOST_AUTO_TEST_CASE(threaded_lease_increase) {
  leased s;
  const auto limit = s.path + "-limit";
  s.witness.create_all("/test");
  s.witness.create(limit, std::string("\0\0\0\1", 4));
  semaphore lock(s.zk, s.path, limit_node{limit});
  hold first = take(lock);
  auto second = lock.acquire(30s, asio::use_future);
  wait_until([&] { return s.waiting() == 1; });
  BOOST_TEST(!is_ready(second));
  s.witness.set(limit, std::string("\0\0\0\2", 4));
  hold got = get(second);
  BOOST_TEST(first.owns_lock());
  BOOST_TEST(got.owns_lock());
}

BOOST_AUTO_TEST_CASE(client_close) {
  leased s;
  client other(s.io, options_for(shared_server().address()));
  semaphore lock(s.zk, s.path, 1), theirs(other, s.path, 1);
  hold held = take(lock);
  auto waiting = theirs.acquire(30s, asio::use_future);
  wait_until([&] { return s.waiting() == 1; });
  get(s.zk.close(asio::use_future));
  hold next = get(waiting);
  BOOST_TEST(next.owns_lock());
  BOOST_TEST(!held.owns_lock());
}

// Without Curator's local accounting, which keeps its clients from a deadlock.
BOOST_AUTO_TEST_CASE(max_per_session) {
  constexpr int limit = 10;
  leased s(2);
  gauge used;
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < 10; ++i)
    threads.emplace_back([&, i] {
      client zk(s.io, options_for(shared_server().address()));
      semaphore lock(zk, s.path, limit);
      std::minstd_rand random(i + 1);
      for (int turn = 0; turn < 100; ++turn) {
        const int permits = 1 + static_cast<int>(random()) % limit;
        hold held = take(lock.permits(permits));
        used.add(permits);
        used.remove(permits);
        give_back(held);
      }
      get(zk.close(asio::use_future));
    });
  for (auto& each : threads)
    each.join();
  BOOST_TEST(used.most() <= limit);
  BOOST_TEST(s.leases() == 0u);
}

BOOST_AUTO_TEST_CASE(release_1_at_a_time) {
  constexpr int clients = 10, limit = 5;
  leased s(2);
  std::vector<std::unique_ptr<client>> all;
  std::vector<std::future<hold>> waiting;
  for (int i = 0; i < clients; ++i) {
    all.push_back(std::make_unique<client>(s.io, options_for(shared_server().address())));
    semaphore lock(*all.back(), s.path, limit);
    waiting.push_back(lock.acquire(60s, asio::use_future));
  }
  wait_until([&] { return s.leases() == limit && s.waiting() == clients - limit; });
  int served = 0;
  while (served < clients)
    for (auto& each : waiting) {
      if (!each.valid() || !is_ready(each)) continue;
      BOOST_TEST(s.leases() <= static_cast<std::size_t>(limit));
      hold held = get(each);
      give_back(held);
      ++served;
    }
  BOOST_TEST(served == clients);
}

BOOST_AUTO_TEST_CASE(release_in_chunks) {
  constexpr int waiters = 100, limit = 11;
  leased s(2);
  semaphore lock(s.zk, s.path, limit);
  gauge used;
  std::mutex guard;
  std::vector<hold> held;
  std::atomic<int> served{0};
  for (int i = 0; i < waiters; ++i)
    lock.acquire([&](error_code error, hold got) {
      if (error) return;
      used.add(1);
      ++served;
      const std::lock_guard guarded(guard);
      held.push_back(std::move(got));
    });
  std::minstd_rand random(1);
  while (served < waiters || used.used() != 0) {
    std::vector<hold> chunk;
    {
      const std::lock_guard guarded(guard);
      const auto count = std::min<std::size_t>(random() % limit + 1, held.size());
      for (std::size_t i = 0; i < count; ++i) {
        chunk.push_back(std::move(held.back()));
        held.pop_back();
      }
    }
    used.remove(static_cast<int>(chunk.size()));
    for (auto& each : chunk)
      give_back(each);
    std::this_thread::yield();
  }
  BOOST_TEST(used.most() <= limit);
  BOOST_TEST(s.leases() == 0u);
}

BOOST_AUTO_TEST_CASE(threads) {
  leased s(2);
  semaphore lock(s.zk, s.path, 1);
  gauge used;
  std::vector<std::thread> all;
  for (int i = 0; i < 10; ++i)
    all.emplace_back([&] {
      hold held = take(lock);
      used.add(1);
      used.remove(1);
      give_back(held);
    });
  for (auto& each : all)
    each.join();
  BOOST_TEST(used.most() == 1);
}

BOOST_AUTO_TEST_CASE(simple) {
  leased s;
  semaphore lock(s.zk, s.path, 1);
  hold held = take(lock);
  BOOST_TEST((error_of(lock.acquire(200ms, asio::use_future)) == errc::timed_out));
  wait_until([&] { return s.waiting() == 0; });
}

BOOST_AUTO_TEST_CASE(simple_2) {
  leased s;
  semaphore lock(s.zk, s.path, 3);
  std::vector<hold> held;
  for (int i = 0; i < 3; ++i)
    held.push_back(take(lock));
  BOOST_TEST((error_of(lock.acquire(200ms, asio::use_future)) == errc::timed_out));
  give_back(held.back());
  held.back() = take(lock);
  BOOST_TEST(held.back().owns_lock());
}

// Curator's test waits for an event that never comes.
BOOST_AUTO_TEST_CASE(no_orphaned_nodes) {
  leased s;
  client other(s.io, options_for(shared_server().address()));
  semaphore lock(s.zk, s.path, 1), theirs(other, s.path, 1);
  hold held = take(theirs);
  auto waiting = lock.acquire(60s, asio::use_future);
  wait_until([&] { return s.waiting() == 1; });
  s.witness.remove(s.path + "/locks/" + s.witness.children(s.path + "/locks").front());
  give_back(held);
  hold next = get(waiting);
  BOOST_TEST(next.owns_lock());
  BOOST_TEST(s.leases() == 1u);
  give_back(next);
  BOOST_TEST(s.leases() == 0u);
  BOOST_TEST(s.waiting() == 0u);
}

BOOST_AUTO_TEST_CASE(interrupt_acquire) {
  leased s;
  semaphore lock(s.zk, s.path, 1);
  hold held = take(lock);
  asio::cancellation_signal interrupt;
  std::promise<error_code> ended;
  lock.acquire(60s, asio::bind_cancellation_slot(
                        interrupt.slot(), [&](error_code error, hold) { ended.set_value(error); }));
  wait_until([&] { return s.waiting() == 1; });
  asio::post(s.io, [&] { interrupt.emit(asio::cancellation_type::terminal); });
  BOOST_TEST((get(ended.get_future()) == asio::error::operation_aborted));
  wait_until([&] { return s.waiting() == 0; });
  give_back(held);
  hold next = take(lock);
  BOOST_TEST(next.owns_lock());
}

BOOST_AUTO_TEST_SUITE_END()

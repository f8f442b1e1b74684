// Curator's tests of InterProcessReadWriteLock.
#include "holding.hpp"
#include "support/scene.hpp"

#include <boost/test/unit_test.hpp>

#include <atomic>
#include <random>
#include <thread>
#include <vector>

using namespace zklock;
using namespace zklock::test;

BOOST_AUTO_TEST_SUITE(curator_read_write, *boost::unit_test::timeout(120))

namespace {

struct read_write : two_blocking_clients {
  explicit read_write(int threads = 1) : two_blocking_clients({.threads = threads}) {}

  shared_mutex lock{zk, path}, theirs{other, path};
};

} // namespace

// The acquire of the owner is refused at once.
BOOST_AUTO_TEST_CASE(that_upgrading_is_disallowed) {
  read_write s;
  const owner me;
  hold reader = take(s.lock.shared(), {.owner = me});
  BOOST_TEST((error_of(s.lock.acquire({.timeout = 30s, .owner = me}, asio::use_future)) ==
              errc::upgrade_refused));
  // Without naming its owner, the acquire waits for the owner's own hold.
  BOOST_TEST((error_of(s.lock.acquire(100ms, asio::use_future)) == errc::timed_out));
  BOOST_TEST(reader.owns_lock());
}

BOOST_AUTO_TEST_CASE(that_downgrading_respects_threads) {
  read_write s;
  const owner me, other_owner;
  hold writer = take(s.lock, {.owner = me});
  BOOST_TEST((error_of(s.lock.acquire_shared({.timeout = 100ms, .owner = other_owner},
                                             asio::use_future)) == errc::timed_out));
  hold reader = take(s.lock.shared(), {.owner = me});
  BOOST_TEST(reader.owns_lock());
}

BOOST_AUTO_TEST_CASE(downgrading) {
  read_write s;
  hold held = take(s.lock);
  get(held.downgrade(asio::use_future));
  hold beside = take(s.theirs.shared());
  BOOST_TEST(held.owns_lock());
  BOOST_TEST(beside.owns_lock());
  give_back(held);
  give_back(beside);
  BOOST_TEST(entries(s.witness, s.path) == 0u);
}

// Waits until the writer has listed the entries; Curator's test waits for 20 ms.
BOOST_AUTO_TEST_CASE(contending_downgrading) {
  read_write s;
  hold held = take(s.lock);
  auto writer = s.theirs.acquire(30s, asio::use_future);
  wait_until([&] { return entries(s.witness, s.path) == 2; });
  shared_server().reset_counts();
  get(held.downgrade(asio::use_future));
  // The writer has listed, and watches the reader that its predecessor has become.
  wait_until([&] { return shared_server().clients().replies(testing::operation::get_data) != 0; });
  BOOST_TEST(!is_ready(writer));
  BOOST_TEST(held.owns_lock());
  give_back(held);
  hold next = get(writer);
  BOOST_TEST(next.owns_lock());
}

// Detects a reader beside a writer, too, which Curator's test does not.
BOOST_AUTO_TEST_CASE(basic) {
  constexpr int clients = 8;
  background context(2);
  const auto path = fresh_path();
  std::atomic<int> readers{0}, writers{0}, most{0};
  std::atomic<bool> overlapped{false};
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < clients; ++i)
    threads.emplace_back([&, i] {
      client zk(context.io, options_for(shared_server().address()));
      shared_mutex lock(zk, path);
      std::minstd_rand random(i + 1);
      for (int turn = 0; turn < 100; ++turn) {
        const bool writes = random() % 10 == 0;
        hold held = take(writes ? any_lock(lock) : lock.shared());
        const int others = writes ? writers.fetch_add(1) + readers : (++readers, writers.load());
        overlapped = overlapped || others != 0;
        for (int seen = most; !writes && readers > seen;)
          if (most.compare_exchange_weak(seen, readers)) break;
        std::this_thread::yield();
        overlapped = overlapped || (writes ? readers + writers != 1 : writers != 0);
        --(writes ? writers : readers);
        give_back(held);
      }
      get(zk.close(asio::use_future));
    });
  for (auto& each : threads)
    each.join();
  BOOST_TEST(!overlapped);
  BOOST_TEST(most > 1);
}

BOOST_AUTO_TEST_CASE(set_node_data) {
  read_write s;
  auto options = options_for(shared_server().address());
  options.identity = "node data";
  client named(s.io, options);
  shared_mutex lock(named, s.path);
  for (const any_lock& side : {any_lock(lock), lock.shared()}) {
    hold held = take(side);
    BOOST_TEST(s.witness.get(held.node()).data == "node data");
    give_back(held);
  }
}

BOOST_AUTO_TEST_CASE(lock_definition) {
  read_write s;
  hold writer = take(s.lock);
  const auto node = writer.node();
  auto lost = writer.wait_lost(asio::use_future);
  BOOST_TEST(s.witness.exists(node).has_value());
  BOOST_TEST(shared_server().expire(s.zk.session_id()));
  hold reader = take(s.theirs.shared());
  BOOST_TEST(reader.owns_lock());
  BOOST_TEST(!s.witness.exists(node).has_value());
  BOOST_TEST((get(lost) == errc::session_expired));
  BOOST_TEST(writer.node() == node);
}

BOOST_AUTO_TEST_SUITE_END()

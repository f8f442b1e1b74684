// The memory that waiting and locking cost, and the load of many waiters on ZooKeeper.
#include "support/heap_use.hpp"
#include "support/scene.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

using namespace zklock;
using namespace zklock::test;

namespace {

// Cycles without coroutines, whose frames belong to the user.
class cycles {
 public:
  cycles(asio::io_context& io, mutex& lock, bool awaited)
      : io_(io), lock_(lock), awaited_(awaited) {}

  /// Returns the allocations of a cycle, on average over this many.
  double allocations(int count) {
    const auto before = use.allocations;
    left_ = count;
    acquire();
    io_.restart();
    // In a single run, as in a server: a thread's reusable memory is freed at the end of each
    // run_for.
    io_.run();
    BOOST_TEST_REQUIRE(left_ == 0);
    return static_cast<double>(use.allocations - before) / count;
  }

 private:
  void acquire() {
    lock_.acquire([this](error_code error, hold got) {
      BOOST_TEST_REQUIRE(!error.failed());
      if (awaited_) return got.release([this](error_code) { next(); });
      got = hold();
      next();
    });
  }

  void next() {
    if (--left_ > 0)
      acquire();
    else
      io_.stop();
  }

  asio::io_context& io_;
  mutex& lock_;
  const bool awaited_;
  int left_ = 0;
};

client_options caching() {
  auto options = options_for(shared_server().address(), 60s);
  options.lock_cache = {.idle_limit = 60s};
  return options;
}

struct economy_scene : one_lock {
  explicit economy_scene(client_options options = options_for(shared_server().address(), 60s))
      : one_lock({.ours = std::move(options)}) {}
};

} // namespace

BOOST_AUTO_TEST_SUITE(economy, *boost::unit_test::timeout(120))

// Allocations of the C client are not counted. The session's checks allocate a few times.
BOOST_AUTO_TEST_CASE(cycle_takes_no_allocations) {
  economy_scene s;
  for (const bool awaited : {true, false}) {
    cycles many(s.io, s.lock, awaited);
    many.allocations(200);
    const double each = many.allocations(1000);
    BOOST_TEST_MESSAGE(each << " allocations a cycle");
    BOOST_TEST(each <= 0.1);
  }
}

BOOST_AUTO_TEST_CASE(cycle_of_cached_lock_takes_no_allocations) {
  economy_scene s(caching());
  for (const bool awaited : {true, false}) {
    cycles many(s.io, s.lock, awaited);
    many.allocations(200);
    const double each = many.allocations(10'000);
    BOOST_TEST_MESSAGE(each << " allocations a cycle");
    BOOST_TEST(each <= 0.01);
  }
}

// With the default window. The load on ZooKeeper does not depend on the number of waiters.
BOOST_AUTO_TEST_CASE(twenty_thousand_waiters_take_little_memory_and_few_entries) {
  constexpr int count = 20'000;
  constexpr std::size_t window = 64;
  constexpr int looked_ahead = 8;
  economy_scene s;
  client other(s.io, options_for(shared_server().address(), 60s));
  mutex foreign(other, s.path);
  hold held;
  foreign.acquire([&](error_code, hold got) { held = std::move(got); });
  run_until(s.io, [&] { return held.owns_lock(); });

  const auto before = use.bytes;
  int ended = 0;
  for (int i = 0; i < count; ++i)
    s.lock.acquire([&](error_code, const hold&) { ++ended; });
  run_until(s.io, [&] { return entries(s.witness, s.path) == window + 1; });
  const auto each = (use.bytes - before) / count;
  BOOST_TEST_MESSAGE(each << " bytes a waiter");
  BOOST_TEST(each <= 650);

  // The directory, and the predecessors of the first two of our entries.
  const auto watches = shared_server().counter("zk_watch_count");
  BOOST_TEST(watches <= 2 * looked_ahead + 2);

  held = hold();
  std::size_t most = 0;
  run_until(s.io, [&] {
    most = std::max(most, entries(s.witness, s.path));
    return ended >= 500;
  });
  BOOST_TEST(most <= window + 3);
}

BOOST_AUTO_TEST_SUITE_END()

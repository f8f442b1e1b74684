// The memory that waiting and locking cost, and the load of many waiters on ZooKeeper.
#include "support/background.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <new>
#include <string>
#include <utility>

using namespace zklock;
using namespace zklock::test;

namespace {

// Counts on the thread of the test only, and without the C client's own allocations.
struct heap_use {
  std::ptrdiff_t allocations = 0;
  std::ptrdiff_t bytes = 0;
};
thread_local heap_use use;

// The size of each piece is stored in front of it.
constexpr std::size_t front = alignof(std::max_align_t);

} // namespace

void* operator new(std::size_t size) {
  void* const piece = std::malloc(front + size);
  if (!piece) throw std::bad_alloc();
  *static_cast<std::size_t*>(piece) = size;
  ++use.allocations;
  use.bytes += static_cast<std::ptrdiff_t>(size);
  return static_cast<std::byte*>(piece) + front;
}

void operator delete(void* user) noexcept {
  if (!user) return;
  void* const piece = static_cast<std::byte*>(user) - front;
  use.bytes -= static_cast<std::ptrdiff_t>(*static_cast<std::size_t*>(piece));
  std::free(piece);
}

void operator delete(void* user, std::size_t) noexcept {
  operator delete(user);
}

// Asio allocates here the memory that its threads reuse. The release of it is not counted.
extern "C" void* aligned_alloc(std::size_t alignment, std::size_t size) noexcept {
  void* piece = nullptr;
  if (posix_memalign(&piece, alignment, size) != 0) return nullptr;
  ++use.allocations;
  use.bytes += static_cast<std::ptrdiff_t>(size);
  return piece;
}

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
    // In one run, as servers do: a thread's reusable memory is freed at the end of each run_for.
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

struct scene {
  asio::io_context io{1};
  testing::raw_client witness{shared_server().direct_address()};
  client zk{io, options_for(shared_server().address(), 60s)};
  const std::string path = fresh_path();
  mutex lock{zk, path};
};

} // namespace

BOOST_AUTO_TEST_SUITE(economy, *boost::unit_test::timeout(120))

// The rest is Asio's own: a thread keeps no more than two pieces of memory to reuse.
BOOST_AUTO_TEST_CASE(cycle_takes_few_allocations) {
  scene s;
  for (const bool awaited : {true, false}) {
    cycles many(s.io, s.lock, awaited);
    many.allocations(200);
    const double each = many.allocations(1000);
    BOOST_TEST_MESSAGE(each << " allocations a cycle");
    BOOST_TEST(each <= (awaited ? 4.1 : 3.1));
  }
}

// With the default window. The load on ZooKeeper does not depend on the number of waiters.
BOOST_AUTO_TEST_CASE(twenty_thousand_waiters_take_little_memory_and_few_entries) {
  constexpr int count = 20'000;
  constexpr std::size_t window = 64;
  constexpr int looked_ahead = 8;
  scene s;
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

// Each allocation in turn fails while a lock is released.
#include "support/background.hpp"
#include "zookeeper/strand.hpp"

#include <boost/asio/dispatch.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/test/unit_test.hpp>

#include <cstddef>
#include <cstdlib>
#include <functional>
#include <new>
#include <optional>
#include <utility>

using namespace zklock;
using namespace zklock::test;

namespace {

// The number of allocations of this thread that succeed before one fails; negative: none fails. The
// C client does not use operator new, and is not counted.
thread_local std::ptrdiff_t before_failure = -1;

bool fails() noexcept {
  return before_failure >= 0 && before_failure-- == 0;
}

void* allocate(std::size_t size) noexcept {
  return fails() ? nullptr : std::malloc(size);
}

} // namespace

void* operator new(std::size_t size) {
  if (void* const piece = allocate(size)) return piece;
  throw std::bad_alloc();
}

void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return allocate(size);
}

void operator delete(void* piece) noexcept {
  std::free(piece);
}

void operator delete(void* piece, std::size_t) noexcept {
  std::free(piece);
}

void operator delete(void* piece, const std::nothrow_t&) noexcept {
  std::free(piece);
}

// Asio allocates here the memory that its threads reuse.
extern "C" void* aligned_alloc(std::size_t alignment, std::size_t size) noexcept {
  void* piece = nullptr;
  if (fails() || posix_memalign(&piece, alignment, size) != 0) return nullptr;
  return piece;
}

namespace {

struct scene {
  scene() {
    auto options = options_for(shared_server().address(), 60s);
    options.check_interval = check_interval;
    zk.emplace(io, options);
    lock.emplace(*zk, path);
  }

  hold acquire(any_lock which) {
    hold held;
    which.acquire(30s, [&](error_code error, hold got) {
      BOOST_TEST_REQUIRE(!error.failed());
      held = std::move(got);
    });
    run_until(io, [&] { return held.owns_lock(); });
    return held;
  }

  // Releases while the allocation of this number fails. Returns whether there was such an
  // allocation.
  template <class GiveBack>
  bool give_back(std::ptrdiff_t which, GiveBack function) {
    before_failure = which;
    try {
      function();
    } catch (const std::bad_alloc&) {}
    const auto begin = std::chrono::steady_clock::now();
    io.restart();
    // Long enough for all work that is done at once.
    while (before_failure >= 0 && std::chrono::steady_clock::now() - begin < 30ms) {
      try {
        io.poll();
      } catch (const std::bad_alloc&) {
        BOOST_TEST_MESSAGE("allocation " << which << " ends run()");
      }
    }
    return std::exchange(before_failure, -1) < 0;
  }

  // Fails each allocation in turn, until there are no more.
  template <class GiveBack>
  void for_each_allocation(any_lock which, GiveBack function, const char* nodes = "") {
    const auto session = [&] { return zk->session_id(); };
    hold held = acquire(which);
    const auto id = session();
    std::ptrdiff_t count = 0;
    while (give_back(count, [&] { function(held); })) {
      BOOST_TEST_CONTEXT("allocation " << count) {
        // A release that did not start leaves the hold alone.
        held = hold();
        held = acquire(which);
        BOOST_TEST(session() == id);
        ++count;
      }
    }
    BOOST_TEST_MESSAGE(count << " allocations");
    BOOST_TEST(count > 0);
    held = hold();
    run_until_empty(path + nodes);
  }

  // The session of the witness begins here: one that waits for the whole test expires.
  void run_until_empty(const std::string& directory) {
    testing::raw_client witness(shared_server().direct_address());
    run_until(io, [&] { return entries(witness, directory) == 0; });
  }

  // Long enough for no check to come in between.
  static constexpr std::chrono::milliseconds check_interval{2s};
  const std::string path = fresh_path();
  asio::io_context io{1};
  std::optional<client> zk;
  std::optional<mutex> lock;
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(out_of_memory, scene, *boost::unit_test::timeout(180))

BOOST_AUTO_TEST_CASE(destroyed_hold_is_released_although_an_allocation_fails) {
  for_each_allocation(*lock, [](hold& held) { held = hold(); });
}

BOOST_AUTO_TEST_CASE(released_hold_is_released_although_an_allocation_fails) {
  for_each_allocation(*lock, [](hold& held) { held.release([](error_code) {}); });
}

BOOST_AUTO_TEST_CASE(permits_are_released_although_an_allocation_fails) {
  semaphore counted(*zk, path, 3);
  for_each_allocation(
      counted.permits(3), [](hold& held) { held = hold(); }, "/leases");
}

BOOST_AUTO_TEST_CASE(reader_is_released_although_an_allocation_fails) {
  shared_mutex both(*zk, path);
  for_each_allocation(both.shared(), [](hold& held) { held = hold(); });
}

// Only the check finds the hold.
BOOST_AUTO_TEST_CASE(hold_is_released_by_the_next_check_after_an_allocation_failed) {
  const hold kept = acquire(mutex(*zk, path + "-other"));
  hold held = acquire(*lock);
  before_failure = 0;
  held = hold();
  BOOST_TEST(before_failure < 0);
  {
    testing::raw_client witness(shared_server().direct_address());
    BOOST_TEST(entries(witness, path) == 1u);
  }
  run_until_empty(path);
}

BOOST_AUTO_TEST_CASE(destroyed_client_is_closed_although_an_allocation_fails) {
  hold held = acquire(*lock);
  before_failure = 0;
  zk.reset();
  BOOST_TEST(before_failure < 0);
  run_until_empty(path);
  BOOST_TEST((held.state() == hold_state::lost));
}

// A function is handed to the strand, or it is not.
BOOST_AUTO_TEST_CASE(strand_continues_after_an_allocation_failed) {
  const zookeeper::strand one{asio::any_io_executor(io.get_executor())};
  for (const bool at_once : {false, true}) {
    int done = 0;
    const auto hand_over = [&] {
      try {
        if (at_once)
          asio::dispatch(one, [&] { ++done; });
        else
          asio::post(one, [&] { ++done; });
      } catch (const std::bad_alloc&) {
        return false;
      }
      return true;
    };
    int count = 0;
    for (bool failed = true; failed; ++count) {
      before_failure = count;
      const bool handed = hand_over();
      failed = std::exchange(before_failure, -1) < 0;
      BOOST_TEST(handed == !failed);
      io.restart();
      io.poll();
      BOOST_TEST(done == handed);
      BOOST_TEST(hand_over());
      io.restart();
      io.poll();
      BOOST_TEST(done == handed + 1);
      done = 0;
    }
    BOOST_TEST_MESSAGE(count - 1 << " allocations");
  }
}

BOOST_AUTO_TEST_SUITE_END()

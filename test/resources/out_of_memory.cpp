// An initiating function that has no memory for its operation throws, and has done nothing.
#include "support/background.hpp"

#include <boost/test/unit_test.hpp>

#include <cstddef>
#include <cstdlib>
#include <functional>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

using namespace zklock;
using namespace zklock::test;

namespace {

// Whether the next allocation of this thread fails. The C client does not use operator new.
thread_local bool next_fails = false;

void* allocate(std::size_t size) noexcept {
  return std::exchange(next_fails, false) ? nullptr : std::malloc(size);
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
  if (std::exchange(next_fails, false) || posix_memalign(&piece, alignment, size) != 0)
    return nullptr;
  return piece;
}

namespace {

/// Counts its calls, and its copies that exist.
class counting_handler {
 public:
  template <class... Results>
  void operator()(error_code, Results&&...) const {
    ++*calls_;
  }

  int calls() const noexcept { return *calls_; }
  long copies() const noexcept { return calls_.use_count(); }

 private:
  std::shared_ptr<int> calls_ = std::make_shared<int>(0);
};

struct failing_allocations {
  using initiating_function = std::function<void(const counting_handler&)>;

  hold acquire() {
    hold held;
    lock.acquire(30s, [&](error_code error, hold got) {
      BOOST_TEST_REQUIRE(!error.failed());
      held = std::move(got);
    });
    run_until(io, [&] { return held.owns_lock(); });
    return held;
  }

  void check(const std::string& name, const initiating_function& start) {
    BOOST_TEST_CONTEXT(name) {
      const counting_handler handler;
      next_fails = true;
      BOOST_CHECK_THROW(start(handler), std::bad_alloc);
      BOOST_TEST(!next_fails);
      BOOST_TEST(handler.copies() == 1);
      io.restart();
      io.poll();
      BOOST_TEST(handler.calls() == 0);
      start(handler);
      run_until(io, [&] { return handler.calls() != 0; });
      BOOST_TEST(handler.calls() == 1);
    }
  }

  const std::string path = fresh_path();
  asio::io_context io{1};
  client zk{io, options_for(shared_server().address(), 60s)};
  mutex lock{zk, path};
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(out_of_memory, failing_allocations, *boost::unit_test::timeout(60))

BOOST_AUTO_TEST_CASE(acquire_that_throws_has_not_started) {
  const mutex other(zk, path + "-other");
  check("acquire", [&](const auto& handler) { lock.acquire(30s, handler); });
  multi_lock both(std::vector<any_lock>{lock, other});
  check("multi_lock", [&](const auto& handler) { both.acquire(30s, handler); });
}

BOOST_AUTO_TEST_CASE(release_that_throws_leaves_the_hold) {
  hold held = acquire();
  next_fails = true;
  BOOST_CHECK_THROW(held.release([](error_code) {}), std::bad_alloc);
  BOOST_TEST(held.owns_lock());
  check("release", [&](const auto& handler) { held.release(handler); });
  BOOST_TEST(!held.owns_lock());
}

BOOST_AUTO_TEST_CASE(other_operations_that_throw_have_not_started) {
  hold held = acquire();
  check("participants", [&](const auto& handler) { lock.participants(handler); });
  check("evict_cached", [&](const auto& handler) { zk.evict_cached(handler); });
  check("close", [&](const auto& handler) { zk.close(handler); });
}

BOOST_AUTO_TEST_SUITE_END()

// Cached locks are granted through the immediate executor of the handler.
#include "support/scene.hpp"

#include <boost/asio/any_completion_handler.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/bind_immediate_executor.hpp>
#include <boost/asio/io_context_strand.hpp>
#include <boost/asio/system_executor.hpp>
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <utility>

using namespace zklock;
using namespace zklock::test;

namespace {

client_options caching() {
  auto options = options_for(shared_server().address());
  options.lock_cache.emplace();
  return options;
}

/// Uses a lock until its entry is cached, and once more: from then on its client hears of others.
void cache(asio::io_context& io, const client& zk, const mutex& lock) {
  const auto use = [&] {
    bool used = false;
    lock.acquire([&](error_code, const hold& got) { used = got.owns_lock(); });
    run_until(io, [&] { return used; });
  };
  while (zk.cached() == 0)
    use();
  use();
}

struct cached_lock : one_lock {
  cached_lock() : one_lock({.ours = caching()}) { cache(io, zk, lock); }

  /// A handler that notes its hold.
  auto note() {
    return [this](error_code error, hold got) {
      BOOST_TEST(!error);
      held = std::move(got);
    };
  }

  std::optional<hold> held;
};

/// Runs functions in place, and lets their exceptions out.
struct in_place {
  template <class Function>
  void execute(Function&& function) const {
    std::forward<Function>(function)();
  }

  friend bool operator==(in_place, in_place) noexcept { return true; }
};

constexpr in_place at_once;

} // namespace

BOOST_FIXTURE_TEST_SUITE(immediate, cached_lock, *boost::unit_test::timeout(60))

BOOST_AUTO_TEST_CASE(executor_completes_inside_the_initiating_function) {
  lock.acquire(asio::bind_immediate_executor(at_once, note()));
  BOOST_TEST_REQUIRE(held.has_value());
  BOOST_TEST(held->owns_lock());
  held.reset();
  lock.try_acquire(asio::bind_immediate_executor(at_once, note()));
  BOOST_TEST_REQUIRE(held.has_value());
  BOOST_TEST(held->owns_lock());
  held.reset();
  lock.acquire(10s, asio::bind_immediate_executor(asio::system_executor(), note()));
  BOOST_TEST(held.has_value());
}

BOOST_AUTO_TEST_CASE(executor_completes_a_type_erased_handler) {
  using handler = asio::any_completion_handler<void(error_code, hold)>;
  lock.acquire(handler(asio::bind_immediate_executor(at_once, note())));
  BOOST_TEST(held.has_value());
  held.reset();
  lock.acquire(handler(note()));
  BOOST_TEST(!held.has_value());
  run_until(io, [&] { return held.has_value(); });
}

// As with the operations of Asio, the handler goes on from there to its own executor.
BOOST_AUTO_TEST_CASE(executor_passes_the_handler_to_its_associated_executor) {
  asio::io_context other{1};
  const asio::io_context::strand strand(other);
  const auto noted = [&](error_code error, hold got) {
    BOOST_TEST(strand.running_in_this_thread());
    note()(error, std::move(got));
  };
  lock.acquire(asio::bind_immediate_executor(at_once, asio::bind_executor(strand, noted)));
  BOOST_TEST(!held.has_value());
  other.run_for(30s);
  BOOST_TEST(held.has_value());
  BOOST_TEST(other.stopped());
}

BOOST_AUTO_TEST_CASE(executor_may_run_the_handler_later) {
  asio::io_context other{1};
  lock.acquire(asio::bind_immediate_executor(other.get_executor(), note()));
  BOOST_TEST(!held.has_value());
  other.run_for(30s);
  BOOST_TEST(held.has_value());
}

BOOST_AUTO_TEST_CASE(executor_is_not_used_without_a_cached_lock) {
  // The lock is taken.
  lock.acquire(note());
  run_until(io, [&] { return held.has_value(); });
  std::optional<error_code> ended;
  const auto token =
      asio::bind_immediate_executor(at_once, [&](error_code error, const hold&) { ended = error; });
  lock.try_acquire(token);
  BOOST_TEST(!ended.has_value());
  run_until(io, [&] { return ended.has_value(); });
  ended.reset();
  lock.acquire(-1s, token);
  BOOST_TEST(!ended.has_value());
  run_until(io, [&] { return ended.has_value(); });
  // The release grants the lock, in another function than that which started the acquire.
  ended.reset();
  lock.acquire(token);
  held.reset();
  BOOST_TEST(!ended.has_value());
  run_until(io, [&] { return ended.has_value(); });
  // Another lock is not cached.
  ended.reset();
  mutex(zk, fresh_path()).acquire(token);
  BOOST_TEST(!ended.has_value());
  run_until(io, [&] { return ended.has_value(); });
  BOOST_TEST(!*ended);
}

// Some of the handlers are posted, so that the stack does not grow.
BOOST_AUTO_TEST_CASE(executor_lets_a_handler_acquire_again) {
  int grants = 0;
  const auto again = [&](auto self) -> void {
    lock.acquire(asio::bind_immediate_executor(at_once, [&, self](error_code error, hold got) {
      BOOST_TEST(!error);
      got = hold();
      if (++grants < 100) self(self);
    }));
  };
  again(again);
  BOOST_TEST(grants > 10);
  run_until(io, [&] { return grants == 100; });
}

BOOST_AUTO_TEST_CASE(executor_works_with_coroutines) {
  run(io, [&]() -> asio::awaitable<void> {
    const auto token = asio::bind_immediate_executor(at_once, asio::use_awaitable);
    for (int i = 0; i < 100; ++i) {
      const hold own = co_await lock.acquire(token);
      BOOST_TEST(own.owns_lock());
    }
  });
}

BOOST_AUTO_TEST_CASE(executor_does_not_let_the_stack_of_a_coroutine_grow) {
  const auto stack = [] { return reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)); };
  std::uintptr_t growth = 0;
  run(io, [&]() -> asio::awaitable<void> {
    const auto token = asio::bind_immediate_executor(at_once, asio::use_awaitable);
    const auto begin = stack();
    for (int i = 0; i < 1'000'000; ++i) {
      const hold own = co_await lock.acquire(token);
      if (const auto now = stack(); now < begin) growth = std::max(growth, begin - now);
    }
  });
  BOOST_TEST(growth < 256u * 1024);
}

BOOST_AUTO_TEST_CASE(executor_lets_the_exception_of_a_handler_out) {
  const auto fails = [](error_code, const hold&) { throw std::logic_error("a handler"); };
  BOOST_CHECK_THROW(lock.acquire(asio::bind_immediate_executor(at_once, fails)), std::logic_error);
  lock.try_acquire(asio::bind_immediate_executor(at_once, note()));
  BOOST_TEST_REQUIRE(held.has_value());
  BOOST_TEST(held->owns_lock());
}

BOOST_AUTO_TEST_CASE(executor_lets_a_handler_destroy_the_context_of_the_client) {
  std::optional<asio::io_context> own(std::in_place, 1);
  client clients(*own, caching());
  mutex same(clients, fresh_path());
  cache(*own, clients, same);
  same.acquire(asio::bind_immediate_executor(at_once, [&](error_code error, hold got) {
    BOOST_TEST(!error);
    own.reset();
    BOOST_TEST((got.state() == hold_state::lost));
    held = std::move(got);
  }));
  BOOST_TEST(held.has_value());
}

BOOST_AUTO_TEST_SUITE_END()

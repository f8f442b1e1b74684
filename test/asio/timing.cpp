// When operations start, and when they complete.
#include "support/scene.hpp"

#include <boost/asio/deferred.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/post.hpp>
#include <boost/test/unit_test.hpp>

#include <chrono>
#include <optional>
#include <stdexcept>
#include <utility>
#include <variant>
#include <vector>

using namespace zklock;
using namespace zklock::test;
using namespace asio::experimental::awaitable_operators;

namespace {

struct setting : two_clients {
  mutex lock{zk, path};

  // Checks that the lock is free and stays free.
  asio::awaitable<void> expect_free() {
    co_await wait_for_entries(witness, path, 0);
    mutex foreign(other, path);
    const hold held = co_await foreign.try_acquire();
    BOOST_TEST(held.owns_lock());
  }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(timing, setting, *boost::unit_test::timeout(60))

BOOST_AUTO_TEST_CASE(operation_never_completes_inside_its_initiating_call) {
  struct call {
    bool inside = true;
    int completed = 0;

    auto handler() {
      return [this](error_code, auto&&...) {
        BOOST_TEST(!inside);
        ++completed;
      };
    }
  };
  // Operations that could complete at once, and operations that wait.
  const auto start = [&](call& one) {
    lock.acquire(-1s, one.handler());
    lock.try_acquire(one.handler());
    lock.acquire(10s, one.handler());
    one.inside = false;
  };
  call outside;
  start(outside);
  run_until(io, [&] { return outside.completed == 3; });
  // On the thread that could run the handler.
  call within;
  asio::post(io, [&] { start(within); });
  run_until(io, [&] { return within.completed == 3; });

  call nested;
  lock.acquire(10s, [&](error_code, hold held) {
    held.wait_lost(nested.handler());
    held.release(nested.handler());
    start(nested);
  });
  run_until(io, [&] { return nested.completed == 5; });

  call closed;
  zk.close(closed.handler());
  lock.acquire(closed.handler());
  zk.close(closed.handler());
  closed.inside = false;
  run_until(io, [&] { return closed.completed == 3; });
}

// A reply may complete several operations.
BOOST_AUTO_TEST_CASE(handler_that_stops_the_context_is_the_last_that_runs) {
  mutex second(zk, path + "-2");
  const auto use_both = [&](auto held) {
    lock.acquire(held);
    second.acquire(held);
  };
  // From the third use on, writes of several locks go together.
  int uses = 0;
  for (const int sum : {2, 4}) {
    use_both([&](error_code, hold) { ++uses; });
    run_until(io, [&] { return uses == sum; });
  }
  std::vector<hold> holds;
  use_both([&](error_code, hold held) {
    holds.push_back(std::move(held));
    io.stop();
  });
  for (const std::size_t count : {1u, 2u}) {
    io.restart();
    io.run();
    BOOST_TEST(holds.size() == count);
  }
  io.restart();
}

BOOST_AUTO_TEST_CASE(exception_of_a_handler_leaves_run_and_disturbs_nothing_else) {
  for (int i = 0; i < 3; ++i) {
    lock.acquire([](error_code, hold) { throw std::runtime_error("as a handler may"); });
    io.restart();
    BOOST_CHECK_THROW(io.run(), std::runtime_error);
    // The exception has destroyed the hold, which releases it.
    bool acquired = false;
    lock.acquire([&](error_code, const hold& held) { acquired = held.owns_lock(); });
    run_until(io, [&] { return acquired; });
  }
}

BOOST_AUTO_TEST_CASE(deferred_operation_starts_when_it_is_awaited) {
  run(io, [&]() -> asio::awaitable<void> {
    auto later = lock.acquire(200ms);
    hold first = co_await lock.acquire(10s);
    // Longer than the timeout, which runs from the start of the operation.
    asio::steady_timer timer(io, 300ms);
    co_await timer.async_wait(asio::use_awaitable);
    BOOST_TEST(entries(witness, path) == 1u);
    co_await first.release();
    const hold second = co_await std::move(later);
    BOOST_TEST(second.owns_lock());
  });
}

BOOST_AUTO_TEST_CASE(discarded_deferred_operation_does_nothing) {
  run(io, [&]() -> asio::awaitable<void> {
    {
      const auto never = lock.acquire(10s);
      const auto neither = lock.try_acquire();
    }
    mutex elsewhere(zk, fresh_path());
    const hold held = co_await elsewhere.acquire(10s);
    BOOST_TEST(!witness.exists(path).has_value());
  });
}

BOOST_AUTO_TEST_CASE(discarded_awaitable_release_does_nothing) {
  run(io, [&]() -> asio::awaitable<void> {
    hold held = co_await lock.acquire(10s);
    { const auto never = held.release(asio::use_awaitable); }
    BOOST_TEST((held.state() == hold_state::held));
    co_await held.release(asio::use_awaitable);
    co_await expect_free();
  });
}

BOOST_AUTO_TEST_CASE(lock_wins_against_a_timer) {
  run(io, [&]() -> asio::awaitable<void> {
    asio::steady_timer timer(io, 30s);
    auto first =
        co_await (lock.acquire(asio::use_awaitable) || timer.async_wait(asio::use_awaitable));
    BOOST_TEST_REQUIRE(first.index() == 0u);
    BOOST_TEST(std::get<0>(first).owns_lock());
    co_await std::get<0>(first).release();
    co_await expect_free();
  });
}

BOOST_AUTO_TEST_CASE(timer_wins_against_a_held_lock) {
  run(io, [&]() -> asio::awaitable<void> {
    mutex foreign(other, path);
    hold held = co_await foreign.acquire(10s);
    asio::steady_timer timer(io, 50ms);
    const auto first =
        co_await (lock.acquire(asio::use_awaitable) || timer.async_wait(asio::use_awaitable));
    BOOST_TEST(first.index() == 1u);
    co_await wait_for_entries(witness, path, 1);
    co_await held.release();
    co_await expect_free();
  });
}

// The lock is granted, and the timer wins before the handler runs.
BOOST_AUTO_TEST_CASE(grant_is_dropped_when_a_timer_wins) {
  run(io, [&]() -> asio::awaitable<void> {
    int dropped = 0;
    for (int i = 0; i < 20; ++i) {
      hold held = co_await lock.acquire(10s);
      asio::steady_timer timer(io, 30s);
      asio::steady_timer ending(io, 5ms);
      ending.async_wait([&](error_code) {
        if (i % 2 == 0) timer.cancel();
        held = hold();
        if (i % 2 != 0) timer.cancel();
      });
      const auto first =
          co_await (lock.acquire(asio::use_awaitable) || timer.async_wait(as_result));
      dropped += first.index() == 1;
      if (const auto* got = std::get_if<0>(&first)) BOOST_TEST(got->owns_lock());
    }
    BOOST_TEST(dropped != 0);
    co_await expect_free();
  });
}

BOOST_AUTO_TEST_CASE(two_locks_are_acquired_together) {
  run(io, [&]() -> asio::awaitable<void> {
    mutex second(other, fresh_path());
    const auto both = co_await (lock.acquire(10s, asio::use_awaitable) &&
                                second.acquire(10s, asio::use_awaitable));
    BOOST_TEST(std::get<0>(both).owns_lock());
    BOOST_TEST(std::get<1>(both).owns_lock());
  });
}

BOOST_AUTO_TEST_SUITE_END()

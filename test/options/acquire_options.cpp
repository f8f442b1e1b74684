// Options of an acquire: owner, hold limit, and the callback for the place in the queue.
#include "support/scene.hpp"

#include <boost/asio/deferred.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/test/unit_test.hpp>

#include <optional>
#include <vector>

using namespace zklock;
using namespace zklock::test;

namespace {

struct contended_lock : two_clients {
  mutex lock{zk, path};
  mutex theirs{other, path};

  /// Why the body was cancelled, or did not begin.
  template <class Body>
  asio::awaitable<error_code> error_of_body(const acquire_options& options, Body& body) {
    try {
      co_await with_lock(lock, options, body);
    } catch (const boost::system::system_error& error) {
      co_return error.code();
    }
    co_return error_code();
  }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(options_of_an_acquire, contended_lock, *boost::unit_test::timeout(60))

BOOST_AUTO_TEST_CASE(owner_acquires_again_at_once_and_releases_as_often) {
  run(io, [&]() -> asio::awaitable<void> {
    const owner me;
    hold first = co_await lock.acquire({.timeout = 10s, .owner = me}, asio::use_awaitable);
    shared_server().clients().reset_counts();
    hold second = co_await lock.acquire({.timeout = 10s, .owner = me}, asio::use_awaitable);
    // A second object for the lock makes no difference.
    mutex same(zk, path);
    hold third = co_await same.acquire({.timeout = 0s, .owner = me}, asio::use_awaitable);
    BOOST_TEST(shared_server().clients().total_requests() == 0u);
    BOOST_TEST((first.token() == third.token()));
    BOOST_TEST(first.node() == second.node());
    co_await first.release(asio::use_awaitable);
    second = hold();
    BOOST_TEST(third.owns_lock());
    BOOST_TEST(!(co_await theirs.try_acquire()));
    co_await third.release(asio::use_awaitable);
    hold free = co_await theirs.acquire(10s, asio::use_awaitable);
    BOOST_TEST(free.owns_lock());
  });
}

BOOST_AUTO_TEST_CASE(other_owner_waits_and_so_does_an_acquire_without_owner) {
  run(io, [&]() -> asio::awaitable<void> {
    const owner me;
    hold held = co_await lock.acquire({.owner = me}, asio::use_awaitable);
    const auto [error, none] = co_await lock.acquire({.timeout = 0s, .owner = owner()}, as_result);
    BOOST_TEST((error == errc::busy));
    const auto [late, nothing] = co_await lock.acquire({.timeout = 50ms}, as_result);
    BOOST_TEST((late == errc::timed_out));
  });
}

BOOST_AUTO_TEST_CASE(second_acquire_of_a_waiting_owner_fails_owner_busy) {
  run(io, [&]() -> asio::awaitable<void> {
    const owner me;
    hold held = co_await theirs.acquire(10s, asio::use_awaitable);
    std::optional<error_code> first;
    lock.acquire({.timeout = 10s, .owner = me},
                 [&](error_code error, const hold&) { first = error; });
    co_await wait_for_entries(witness, path, 2);
    const auto [error, none] = co_await lock.acquire({.timeout = 10s, .owner = me}, as_result);
    BOOST_TEST((error == errc::owner_busy));
    co_await held.release(asio::use_awaitable);
    co_await eventually([&] { return first.has_value(); });
    BOOST_TEST(!first->failed());
  });
}

BOOST_AUTO_TEST_CASE(owner_that_released_is_queued_again) {
  run(io, [&]() -> asio::awaitable<void> {
    const owner me;
    for (int i = 0; i < 3; ++i) {
      hold held = co_await lock.acquire({.timeout = 10s, .owner = me}, asio::use_awaitable);
      BOOST_TEST(entries(witness, path) == 1u);
      co_await held.release(asio::use_awaitable);
      BOOST_TEST(entries(witness, path) == 0u);
    }
  });
}

BOOST_AUTO_TEST_CASE(permits_held_already_suffice_for_their_owner) {
  run(io, [&]() -> asio::awaitable<void> {
    const owner me;
    semaphore many(zk, path + "-semaphore", 3);
    hold two = co_await many.acquire(2, {.owner = me}, asio::use_awaitable);
    hold one = co_await many.acquire(1, {.owner = me}, asio::use_awaitable);
    BOOST_TEST(one.node() == two.node());
    const auto [error, none] = co_await many.acquire(3, {.owner = me}, as_result);
    BOOST_TEST((error == errc::upgrade_refused));
  });
}

BOOST_AUTO_TEST_CASE(hold_is_lost_at_its_limit) {
  run(io, [&]() -> asio::awaitable<void> {
    hold held = co_await lock.acquire({.hold_limit = 100ms}, asio::use_awaitable);
    const error_code why = co_await held.wait_lost(asio::use_awaitable);
    BOOST_TEST((why == errc::hold_limit_reached));
    BOOST_TEST((held.state() == hold_state::lost));
    hold next = co_await theirs.acquire(10s, asio::use_awaitable);
    BOOST_TEST(next.owns_lock());
    // A release afterwards does no harm.
    co_await held.release(asio::use_awaitable);
    BOOST_TEST(entries(witness, path) == 1u);
  });
}

BOOST_AUTO_TEST_CASE(body_is_cancelled_before_the_hold_limit) {
  run(io, [&]() -> asio::awaitable<void> {
    bool held_at_the_end = false;
    const auto wait = [&](hold& held) -> asio::awaitable<void> {
      asio::steady_timer ever(co_await asio::this_coro::executor, 1h);
      const auto [stopped] = co_await ever.async_wait(as_result);
      BOOST_TEST((stopped == asio::error::operation_aborted));
      held_at_the_end = held.owns_lock();
      throw boost::system::system_error(stopped);
    };
    const error_code why = co_await error_of_body({.hold_limit = 2s}, wait);
    BOOST_TEST((why == errc::hold_limit_reached));
    BOOST_TEST(held_at_the_end);
    co_await wait_for_entries(witness, path, 0);
  });
}

// Both bodies share the entry of their owner.
BOOST_AUTO_TEST_CASE(body_inside_a_body_of_the_same_owner_shares_its_hold) {
  run(io, [&]() -> asio::awaitable<void> {
    const acquire_options own_options{.timeout = 10s, .hold_limit = 500ms, .owner = owner()};
    int cancelled = 0;
    const auto wait = [&]() -> asio::awaitable<void> {
      asio::steady_timer ever(co_await asio::this_coro::executor, 1h);
      const auto [stopped] = co_await ever.async_wait(as_result);
      ++cancelled;
      throw boost::system::system_error(stopped);
    };
    const auto at_once = []() -> asio::awaitable<void> { co_return; };
    for (const bool inner_waits : {false, true}) {
      cancelled = 0;
      const auto outer = [&]() -> asio::awaitable<void> {
        co_await with_lock(lock, own_options, at_once);
        if (inner_waits) co_await with_lock(lock, own_options, wait);
        co_await wait();
      };
      const error_code why = co_await error_of_body(own_options, outer);
      BOOST_TEST((why == errc::hold_limit_reached));
      BOOST_TEST(cancelled == 1);
      co_await wait_for_entries(witness, path, 0);
    }
  });
}

// The first body acquires the lock again when it is cancelled, while the lock is still held.
BOOST_AUTO_TEST_CASE(body_does_not_begin_near_the_hold_limit) {
  run(io, [&]() -> asio::awaitable<void> {
    const acquire_options own_options{.timeout = 10s, .hold_limit = 2s, .owner = owner()};
    bool still_held = false;
    bool began = false;
    const auto inner = [&]() -> asio::awaitable<void> {
      began = true;
      co_return;
    };
    error_code why_inner;
    const auto outer = [&](hold& held) -> asio::awaitable<void> {
      asio::steady_timer ever(co_await asio::this_coro::executor, 1h);
      const auto [stopped] = co_await ever.async_wait(as_result);
      still_held = held.owns_lock();
      co_await asio::this_coro::reset_cancellation_state(asio::disable_cancellation());
      why_inner = co_await error_of_body(own_options, inner);
      throw boost::system::system_error(stopped);
    };
    const error_code why = co_await error_of_body(own_options, outer);
    BOOST_TEST((why == errc::hold_limit_reached));
    BOOST_TEST((why_inner == errc::hold_limit_reached));
    BOOST_TEST(still_held);
    BOOST_TEST(!began);
    co_await wait_for_entries(witness, path, 0);
  });
}

BOOST_AUTO_TEST_CASE(hold_is_released_within_its_limit_and_a_zero_limit_is_refused) {
  run(io, [&]() -> asio::awaitable<void> {
    hold held = co_await lock.acquire({.hold_limit = 1h}, asio::use_awaitable);
    co_await held.release(asio::use_awaitable);
    const auto [error, none] = co_await lock.acquire({.hold_limit = 0s}, as_result);
    BOOST_TEST((error == errc::bad_timeout));
  });
}

BOOST_AUTO_TEST_CASE(place_in_the_queue_is_reported_once) {
  run(io, [&]() -> asio::awaitable<void> {
    hold held = co_await theirs.acquire(10s, asio::use_awaitable);
    std::vector<std::size_t> places;
    std::vector<hold> holds;
    const auto told = [&](std::size_t place) { places.push_back(place); };
    for (int i = 0; i < 3; ++i) {
      lock.acquire({.timeout = 30s, .queued = told},
                   [&](error_code, hold got) { holds.push_back(std::move(got)); });
      co_await eventually([&] { return places.size() == static_cast<std::size_t>(i + 1); });
    }
    BOOST_TEST(places == (std::vector<std::size_t>{1, 2, 3}), boost::test_tools::per_element());
    co_await held.release(asio::use_awaitable);
    for (std::size_t i = 1; i <= 3; ++i) {
      co_await eventually([&] { return holds.size() == i; });
      holds.back() = hold();
    }
    BOOST_TEST(places.size() == 3u);
  });
}

BOOST_AUTO_TEST_CASE(queued_callback_is_not_called_for_a_free_lock) {
  run(io, [&]() -> asio::awaitable<void> {
    int calls = 0;
    const auto told = [&](std::size_t) { ++calls; };
    hold held = co_await lock.acquire({.queued = told}, asio::use_awaitable);
    BOOST_TEST(calls == 0);
  });
}

// The callback runs in a watch's event, and at the start of another acquire.
BOOST_AUTO_TEST_CASE(exception_of_a_queued_callback_leaves_run_and_the_waiter_waits_on) {
  hold held;
  theirs.acquire([&](error_code, hold got) { held = std::move(got); });
  run_until(io, [&] { return held.owns_lock(); });
  std::vector<hold> holds;
  for (int i = 0; i < 2; ++i) {
    const auto fail = [i](std::size_t) { throw i; };
    lock.acquire({.queued = fail}, [&](error_code, hold got) { holds.push_back(std::move(got)); });
    std::optional<int> thrown;
    while (!thrown) {
      try {
        run_until(io, [] { return false; });
      } catch (int value) {
        thrown = value;
      }
    }
    BOOST_TEST(*thrown == i);
  }
  held = hold();
  run_until(io, [&] { return holds.size() == 1; });
  holds.clear();
  run_until(io, [&] { return holds.size() == 1; });
  BOOST_TEST(holds.back().owns_lock());
}

BOOST_AUTO_TEST_SUITE_END()

// Bodies of with_lock that release their hold, or move it out, before they return.
#include "support/scene.hpp"

#include <boost/asio/detached.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/system/system_error.hpp>
#include <boost/test/unit_test.hpp>

#include <stdexcept>
#include <string>
#include <utility>

using namespace zklock;
using namespace zklock::test;
using boost::system::system_error;

namespace {

struct releasing_setting : one_lock {
  releasing_setting() : one_lock({.ours = options_for(behind_door, 3s)}) {}

  // Returns the error that a coroutine threw; no error where it threw nothing.
  static asio::awaitable<error_code> thrown_by(asio::awaitable<void> coroutine) {
    try {
      co_await std::move(coroutine);
    } catch (const system_error& error) {
      co_return error.code();
    }
    co_return error_code();
  }

  // The servers may have ended a session that was proven until then.
  static asio::awaitable<void> after(boot_clock::time_point valid_until) {
    const auto over = [valid_until] { return boot_clock::now() > valid_until; };
    co_await eventually(over);
  }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(with_lock_releasing, releasing_setting, *boost::unit_test::timeout(60))

BOOST_AUTO_TEST_CASE(body_may_release_its_hold_early) {
  run(io, [&]() -> asio::awaitable<void> {
    const auto body = [&](hold& held) -> asio::awaitable<int> {
      co_await held.release();
      BOOST_TEST(entries(witness, path) == 0u);
      co_return 42;
    };
    const int result = co_await with_lock(lock, 10s, body);
    BOOST_TEST(result == 42);
    const auto by_a_local = [&](hold& held) -> asio::awaitable<void> {
      const hold local = std::move(held);
      BOOST_TEST(entries(witness, path) == 1u);
      co_return;
    };
    const auto error = co_await thrown_by(with_lock(lock, 10s, by_a_local));
    BOOST_TEST(!error);
    co_await wait_for_entries(witness, path, 0);
  });
}

BOOST_AUTO_TEST_CASE(body_may_move_its_hold_out) {
  run(io, [&]() -> asio::awaitable<void> {
    hold kept;
    const auto body = [&](hold& held) -> asio::awaitable<int> {
      kept = std::move(held);
      co_return 43;
    };
    const int result = co_await with_lock(lock, 10s, body);
    BOOST_TEST(result == 43);
    BOOST_TEST(kept.owns_lock());
    BOOST_TEST(entries(witness, path) == 1u);
    co_await kept.release();
  });
}

BOOST_AUTO_TEST_CASE(body_may_release_several_locks_early) {
  multi_lock both(lock, mutex(zk, path + "-too"));
  run(io, [&]() -> asio::awaitable<void> {
    const auto body = [&](multi_hold& held) -> asio::awaitable<int> {
      co_await held.release();
      co_return 44;
    };
    const int result = co_await with_lock(both, 10s, body);
    BOOST_TEST(result == 44);
  });
}

BOOST_AUTO_TEST_CASE(exception_after_an_early_release_is_rethrown) {
  run(io, [&]() -> asio::awaitable<void> {
    const auto fail = [](hold& held) -> asio::awaitable<void> {
      co_await held.release();
      throw std::out_of_range("of its own");
    };
    bool thrown = false;
    try {
      co_await with_lock(lock, 10s, fail);
    } catch (const std::out_of_range&) {
      thrown = true;
    }
    BOOST_TEST(thrown);
    const auto stop = [](hold& held) -> asio::awaitable<void> {
      co_await held.release();
      throw system_error(asio::error::operation_aborted);
    };
    const auto error = co_await thrown_by(with_lock(lock, 10s, stop));
    BOOST_TEST(error == asio::error::operation_aborted);
  });
}

// A release that is under way ends the reliance on the hold, also while the servers are silent.
BOOST_AUTO_TEST_CASE(body_that_has_released_is_not_cancelled) {
  run(io, [&]() -> asio::awaitable<void> {
    bool cancelled = false;
    const auto body = [&](hold& held) -> asio::awaitable<int> {
      const auto until = held.valid_until();
      door.silence();
      held.release(asio::detached);
      co_await after(until);
      const auto state = co_await asio::this_coro::cancellation_state;
      cancelled = state.cancelled() != asio::cancellation_type::none;
      co_return 45;
    };
    const int result = co_await with_lock(lock, 10s, body);
    BOOST_TEST(result == 45);
    BOOST_TEST(!cancelled);
    door.heal();
    co_await wait_for_entries(witness, path, 0);
  });
}

BOOST_AUTO_TEST_CASE(body_that_has_moved_its_hold_is_cancelled_when_that_is_in_doubt) {
  run(io, [&]() -> asio::awaitable<void> {
    bool owned = false;
    const auto body = [&](hold& held) -> asio::awaitable<void> {
      const hold moved = std::move(held);
      door.silence();
      error_code error;
      asio::steady_timer timer(co_await asio::this_coro::executor, 30s);
      co_await timer.async_wait(asio::redirect_error(asio::use_awaitable, error));
      owned = moved.owns_lock();
      throw system_error(error);
    };
    const auto error = co_await thrown_by(with_lock(lock, 10s, body));
    BOOST_TEST(error == errc::in_doubt);
    BOOST_TEST(owned);
    door.heal();
    co_await wait_for_entries(witness, path, 0);
  });
}

// The body still relies on its own hold.
BOOST_AUTO_TEST_CASE(body_is_cancelled_though_another_hold_of_its_owner_was_released) {
  run(io, [&]() -> asio::awaitable<void> {
    const owner me;
    bool owned = false;
    const auto release = [](hold& held) -> asio::awaitable<void> { co_await held.release(); };
    const auto body = [&](hold& held) -> asio::awaitable<void> {
      co_await with_lock(lock, acquire_options{.owner = me}, release);
      door.silence();
      error_code error;
      asio::steady_timer timer(co_await asio::this_coro::executor, 30s);
      co_await timer.async_wait(asio::redirect_error(asio::use_awaitable, error));
      owned = held.owns_lock();
      throw system_error(error);
    };
    const auto error = co_await thrown_by(with_lock(lock, acquire_options{.owner = me}, body));
    BOOST_TEST(error == errc::in_doubt);
    BOOST_TEST(owned);
    door.heal();
    co_await wait_for_entries(witness, path, 0);
  });
}

BOOST_AUTO_TEST_SUITE_END()

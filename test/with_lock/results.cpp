// The results and exceptions of with_lock, and its release of the lock.
#include "support/scene.hpp"

#include <boost/asio/error.hpp>
#include <boost/system/system_error.hpp>
#include <boost/test/unit_test.hpp>

#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>

using namespace zklock;
using namespace zklock::test;
using boost::system::system_error;

namespace {

// Returns the error that a coroutine threw; no error where it threw nothing.
asio::awaitable<error_code> thrown_by(asio::awaitable<void> coroutine) {
  try {
    co_await std::move(coroutine);
  } catch (const system_error& error) {
    co_return error.code();
  }
  co_return error_code();
}

} // namespace

BOOST_FIXTURE_TEST_SUITE(with_lock_results, one_lock, *boost::unit_test::timeout(60))

BOOST_AUTO_TEST_CASE(value_of_the_body_is_returned) {
  run(io, [&]() -> asio::awaitable<void> {
    const auto count = []() -> asio::awaitable<int> { co_return 7; };
    int number = co_await with_lock(lock, 10s, count);
    BOOST_TEST(number == 7);
    number = co_await with_lock(lock, count);
    BOOST_TEST(number == 7);

    const auto make = []() -> asio::awaitable<std::unique_ptr<int>> {
      co_return std::make_unique<int>(8);
    };
    const auto pointer = co_await with_lock(lock, 10s, make);
    BOOST_TEST(*pointer == 8);

    bool ran = false;
    const auto act = [&]() -> asio::awaitable<void> {
      ran = true;
      co_return;
    };
    static_assert(std::is_same_v<decltype(with_lock(lock, 10s, act)), asio::awaitable<void>>);
    co_await with_lock(lock, 10s, act);
    BOOST_TEST(ran);
    BOOST_TEST(entries(witness, path) == 0u);
  });
}

BOOST_AUTO_TEST_CASE(body_may_take_the_hold) {
  run(io, [&]() -> asio::awaitable<void> {
    const auto look = [&](hold& held) -> asio::awaitable<std::string> {
      BOOST_TEST(held.owns_lock());
      BOOST_TEST(witness.exists(held.node()).has_value());
      co_return held.token().to_string();
    };
    const auto first = co_await with_lock(lock, 10s, look);
    const auto second = co_await with_lock(lock, look);
    BOOST_TEST(first < second);
  });
}

BOOST_AUTO_TEST_CASE(body_may_be_movable_only) {
  run(io, [&]() -> asio::awaitable<void> {
    auto body = [number = std::make_unique<int>(9)]() -> asio::awaitable<int> {
      co_return *number;
    };
    const int number = co_await with_lock(lock, 10s, std::move(body));
    BOOST_TEST(number == 9);
  });
}

BOOST_AUTO_TEST_CASE(exception_of_the_body_is_rethrown_and_the_lock_released) {
  run(io, [&]() -> asio::awaitable<void> {
    const auto fail = []() -> asio::awaitable<int> {
      throw std::out_of_range("what the body says");
      co_return 0;
    };
    std::string said;
    try {
      co_await with_lock(lock, 10s, fail);
    } catch (const std::out_of_range& error) {
      said = error.what();
    }
    BOOST_TEST(said == "what the body says");
    BOOST_TEST(entries(witness, path) == 0u);
    // The body's own operation_aborted is an exception as any other.
    const auto stop = []() -> asio::awaitable<void> {
      throw system_error(asio::error::operation_aborted);
      co_return;
    };
    const auto error = co_await thrown_by(with_lock(lock, 10s, stop));
    BOOST_TEST(error == asio::error::operation_aborted);
    BOOST_TEST(entries(witness, path) == 0u);
  });
}

// A body that is no coroutine can throw before it returns a coroutine.
BOOST_AUTO_TEST_CASE(body_that_throws_when_called_releases_the_lock) {
  run(io, [&]() -> asio::awaitable<void> {
    const auto fail = [](hold&) -> asio::awaitable<void> { throw std::out_of_range("at once"); };
    bool thrown = false;
    try {
      co_await with_lock(lock, 10s, fail);
    } catch (const std::out_of_range&) {
      thrown = true;
    }
    BOOST_TEST(thrown);
    co_await wait_for_entries(witness, path, 0);
  });
}

BOOST_AUTO_TEST_CASE(body_does_not_run_without_the_lock) {
  run(io, [&]() -> asio::awaitable<void> {
    const hold held = co_await lock.acquire(10s);
    const auto never = []() -> asio::awaitable<void> {
      BOOST_ERROR("the lock is held already");
      co_return;
    };
    auto error = co_await thrown_by(with_lock(lock, 100ms, never));
    BOOST_TEST(error == errc::timed_out);
    error = co_await thrown_by(with_lock(lock, 0s, never));
    BOOST_TEST(error == errc::busy);
    error = co_await thrown_by(with_lock(lock, -1s, never));
    BOOST_TEST(error == errc::bad_timeout);
    co_await wait_for_entries(witness, path, 1);
  });
}

BOOST_AUTO_TEST_CASE(with_lock_may_be_nested) {
  mutex inner(zk, fresh_path());
  run(io, [&]() -> asio::awaitable<void> {
    const auto innermost = [&](hold& held) -> asio::awaitable<int> {
      BOOST_TEST(held.owns_lock());
      BOOST_TEST(entries(witness, path) == 1u);
      BOOST_TEST(entries(witness, std::string(inner.path())) == 1u);
      co_return 3;
    };
    const auto outermost = [&](hold& held) -> asio::awaitable<int> {
      const int number = co_await with_lock(inner, 10s, innermost);
      BOOST_TEST(held.owns_lock());
      BOOST_TEST(entries(witness, std::string(inner.path())) == 0u);
      co_return number + 1;
    };
    const int number = co_await with_lock(lock, 10s, outermost);
    BOOST_TEST(number == 4);
    BOOST_TEST(entries(witness, path) == 0u);
  });
}

BOOST_AUTO_TEST_SUITE_END()

// asio::cancel_after ends a wait, and leaves nothing behind.
#include <zklock/election.hpp>

#include "support/scene.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/cancel_after.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/use_future.hpp>
#include <boost/test/unit_test.hpp>

#include <exception>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

using namespace zklock;
using namespace zklock::test;

namespace {

struct taken_lock : one_lock {
  taken_lock() {
    lock.acquire([this](error_code, hold got) { held = std::move(got); });
    run_until(io, [&] { return held.owns_lock(); });
  }

  hold held;
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(cancel_after, taken_lock, *boost::unit_test::timeout(60))

BOOST_AUTO_TEST_CASE(ends_waits_in_coroutines) {
  run(io, [&]() -> asio::awaitable<void> {
    const auto token = asio::cancel_after(20ms, as_result);
    multi_lock both(lock, mutex(zk, path + "-other"));
    const auto expect_cancelled = [](const auto& results) {
      BOOST_TEST(std::get<0>(results) == asio::error::operation_aborted);
    };
    expect_cancelled(co_await lock.acquire(token));
    expect_cancelled(co_await lock.acquire(10s, token));
    expect_cancelled(co_await both.acquire(token));
    const std::vector<any_lock> locks{lock};
    expect_cancelled(co_await acquire_any(locks, token));
    expect_cancelled(co_await held.wait_lost(token));
    expect_cancelled(co_await held.wait_release_requested(token));
    const auto holders = co_await lock.holders(asio::use_awaitable);
    expect_cancelled(co_await lock.wait_holder_changed(holders.at(0), token));
    const shared_mutex shared(zk, path + "-shared");
    const hold writer = co_await shared.acquire();
    expect_cancelled(co_await shared.acquire_shared(token));
    const multi_hold alone = co_await multi_lock(mutex(zk, path + "-alone")).acquire();
    expect_cancelled(co_await alone.wait_lost(token));
    co_await wait_for_entries(witness, path, 1);
    BOOST_TEST(entries(witness, path + "-other") == 0u);
    BOOST_TEST(held.owns_lock());
  });
}

BOOST_AUTO_TEST_CASE(ends_the_wait_for_a_body) {
  const auto body = []() -> asio::awaitable<void> { co_return; };
  const election leaders(zk, path);
  std::vector<std::exception_ptr> ended;
  const auto token = [&] {
    return asio::cancel_after(20ms, [&](std::exception_ptr failure) { ended.push_back(failure); });
  };
  with_lock(lock, body, token());
  leaders.run(body, token());
  run_until(io, [&] { return ended.size() == 2; });
  for (const auto& each : ended) {
    BOOST_REQUIRE(each);
    BOOST_CHECK_EXCEPTION(
        std::rethrow_exception(each), boost::system::system_error,
        [](const auto& error) { return error.code() == asio::error::operation_aborted; });
  }
}

BOOST_AUTO_TEST_CASE(ends_a_wait_with_a_callback) {
  std::optional<error_code> ended;
  lock.acquire(asio::cancel_after(20ms, [&](error_code error, const hold&) { ended = error; }));
  run_until(io, [&] { return ended.has_value(); });
  BOOST_TEST(*ended == asio::error::operation_aborted);
}

BOOST_AUTO_TEST_CASE(leaves_an_operation_that_ends_in_time_alone) {
  run(io, [&]() -> asio::awaitable<void> {
    co_await held.release(asio::cancel_after(30s, asio::use_awaitable));
    const hold next = co_await lock.acquire(asio::cancel_after(30s, asio::deferred));
    BOOST_TEST(next.owns_lock());
    const auto [waiting] = std::tuple(co_await lock.count_waiting(asio::cancel_after(30s)));
    BOOST_TEST(waiting == 0u);
  });
}

BOOST_AUTO_TEST_SUITE_END()

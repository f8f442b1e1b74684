// Every operation that waits can be cancelled by Asio's means.
#include "support/scene.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/error.hpp>
#include <boost/system/system_error.hpp>
#include <boost/test/unit_test.hpp>

#include <exception>
#include <optional>
#include <string>

using namespace zklock;
using namespace zklock::test;

BOOST_FIXTURE_TEST_SUITE(cancelling, one_lock, *boost::unit_test::timeout(60))

BOOST_AUTO_TEST_CASE(operation_is_cancelled_by_its_bound_slot) {
  run(io, [&]() -> asio::awaitable<void> {
    hold held = co_await lock.acquire(10s);
    asio::cancellation_signal waits;
    asio::cancellation_signal watches;
    std::optional<error_code> waited;
    std::optional<error_code> watched;
    lock.acquire(asio::bind_cancellation_slot(waits.slot(),
                                              [&](error_code error, hold) { waited = error; }));
    held.wait_lost(asio::bind_cancellation_slot(
        watches.slot(), [&](error_code error, error_code) { watched = error; }));
    waits.emit(asio::cancellation_type::total);
    watches.emit(asio::cancellation_type::total);
    const auto both = [&] { return waited && watched; };
    co_await eventually(both);
    BOOST_TEST(*waited == asio::error::operation_aborted);
    BOOST_TEST(*watched == asio::error::operation_aborted);
    BOOST_TEST(held.owns_lock());
  });
}

BOOST_AUTO_TEST_CASE(cancelled_release_ends_only_the_wait) {
  run(io, [&]() -> asio::awaitable<void> {
    hold held = co_await lock.acquire(10s);
    shared_server().clients().delay(testing::direction::to_client, 300ms);
    asio::cancellation_signal signal;
    std::optional<error_code> released;
    held.release(
        asio::bind_cancellation_slot(signal.slot(), [&](error_code error) { released = error; }));
    signal.emit(asio::cancellation_type::partial);
    const auto done = [&] { return released.has_value(); };
    co_await eventually(done);
    shared_server().heal();
    BOOST_TEST(*released == asio::error::operation_aborted);
    co_await wait_for_entries(witness, path, 0);
  });
}

BOOST_AUTO_TEST_CASE(cancelled_coroutine_cancels_its_acquire) {
  run(io, [&]() -> asio::awaitable<void> {
    const hold held = co_await lock.acquire(10s);
    const auto waits = [&]() -> asio::awaitable<void> {
      const hold never = co_await lock.acquire();
      BOOST_ERROR("the acquire must not complete");
    };
    asio::cancellation_signal signal;
    std::exception_ptr failure;
    asio::co_spawn(
        io, waits(),
        asio::bind_cancellation_slot(signal.slot(), [&](std::exception_ptr e) { failure = e; }));
    co_await wait_for_entries(witness, path, 2);
    signal.emit(asio::cancellation_type::terminal);
    const auto over = [&] { return failure != nullptr; };
    co_await eventually(over);
    BOOST_CHECK_EXCEPTION(
        std::rethrow_exception(failure), boost::system::system_error,
        [](const auto& error) { return error.code() == asio::error::operation_aborted; });
    co_await wait_for_entries(witness, path, 1);
  });
}

BOOST_AUTO_TEST_SUITE_END()

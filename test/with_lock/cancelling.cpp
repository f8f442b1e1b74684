// with_lock while it is cancelled or destroyed.
#include "support/scene.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/system/system_error.hpp>
#include <boost/test/unit_test.hpp>

#include <exception>
#include <memory>
#include <string>

using namespace zklock;
using namespace zklock::test;
using boost::system::system_error;

namespace {

bool is_aborted(const system_error& error) {
  return error.code() == asio::error::operation_aborted;
}

} // namespace

BOOST_FIXTURE_TEST_SUITE(with_lock_cancelling, one_lock, *boost::unit_test::timeout(60))

BOOST_AUTO_TEST_CASE(cancelled_with_lock_cancels_its_body) {
  run(io, [&]() -> asio::awaitable<void> {
    bool running = false;
    bool aborted = false;
    const auto body = [&](hold& held) -> asio::awaitable<void> {
      running = true;
      try {
        co_await wait_forever();
      } catch (const system_error& error) {
        aborted = is_aborted(error);
        BOOST_TEST(held.owns_lock());
        throw;
      }
    };
    asio::cancellation_signal signal;
    std::exception_ptr failure;
    asio::co_spawn(
        io, with_lock(lock, 10s, body),
        asio::bind_cancellation_slot(signal.slot(), [&](std::exception_ptr e) { failure = e; }));
    const auto begun = [&] { return running; };
    co_await eventually(begun);
    signal.emit(asio::cancellation_type::terminal);
    const auto over = [&] { return failure != nullptr; };
    co_await eventually(over);
    BOOST_TEST(aborted);
    BOOST_CHECK_EXCEPTION(std::rethrow_exception(failure), system_error, [](const auto& error) {
      return error.code() == asio::error::operation_aborted;
    });
    co_await wait_for_entries(witness, path, 0);
  });
}

BOOST_AUTO_TEST_CASE(cancelled_with_lock_cancels_its_wait) {
  run(io, [&]() -> asio::awaitable<void> {
    const hold held = co_await lock.acquire(10s);
    const auto never = []() -> asio::awaitable<void> {
      BOOST_ERROR("the lock is held already");
      co_return;
    };
    asio::cancellation_signal signal;
    std::exception_ptr failure;
    asio::co_spawn(
        io, with_lock(lock, never),
        asio::bind_cancellation_slot(signal.slot(), [&](std::exception_ptr e) { failure = e; }));
    co_await wait_for_entries(witness, path, 2);
    signal.emit(asio::cancellation_type::terminal);
    const auto over = [&] { return failure != nullptr; };
    co_await eventually(over);
    BOOST_CHECK_EXCEPTION(std::rethrow_exception(failure), system_error, [](const auto& error) {
      return error.code() == asio::error::operation_aborted;
    });
    co_await wait_for_entries(witness, path, 1);
  });
}

BOOST_AUTO_TEST_CASE(destroyed_with_lock_releases_the_lock) {
  auto doomed = std::make_unique<asio::io_context>(1);
  client other(*doomed, options_for(shared_server().address(), 2s));
  mutex same(other, path);
  asio::co_spawn(*doomed, with_lock(same, 10s, wait_forever), asio::detached);
  run_until(*doomed, [&] { return entries(witness, path) == 1; });
  doomed.reset();
  run(io, [&]() -> asio::awaitable<void> {
    const hold held = co_await lock.acquire(20s);
    BOOST_TEST(held.owns_lock());
  });
}

BOOST_AUTO_TEST_SUITE_END()

// Every completion token works with every operation, as with Asio's own operations.
#include "support/scene.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/bind_allocator.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/experimental/parallel_group.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/use_future.hpp>
#include <boost/system/system_error.hpp>
#include <boost/test/unit_test.hpp>

#include <memory>
#include <optional>
#include <thread>
#include <tuple>
#include <utility>

using namespace zklock;
using namespace zklock::test;

namespace {

/// Counts its allocations.
template <class T>
struct counting_allocator {
  using value_type = T;

  explicit counting_allocator(std::shared_ptr<int> all) : living(std::move(all)) {}
  template <class Other>
  counting_allocator(const counting_allocator<Other>& other) : living(other.living) {}

  T* allocate(std::size_t count) {
    living.get()[0] += 1;
    return std::allocator<T>().allocate(count);
  }
  void deallocate(T* memory, std::size_t count) {
    living.get()[0] -= 1;
    std::allocator<T>().deallocate(memory, count);
  }

  friend bool operator==(const counting_allocator&, const counting_allocator&) = default;

  std::shared_ptr<int> living;
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(tokens, one_lock, *boost::unit_test::timeout(60))

BOOST_AUTO_TEST_CASE(operations_work_without_a_token) {
  run(io, [&]() -> asio::awaitable<void> {
    hold held = co_await lock.acquire();
    co_await held.release();
    held = co_await lock.acquire(10s);
    co_await held.release();
    held = co_await lock.try_acquire();
    BOOST_TEST(held.owns_lock());
    co_await held.release();
    co_await zk.close();
    std::optional<error_code> thrown;
    try {
      held = co_await lock.acquire();
    } catch (const boost::system::system_error& error) {
      thrown = error.code();
    }
    BOOST_TEST((thrown == error_code(errc::closed)));
  });
}

BOOST_AUTO_TEST_CASE(operations_work_with_use_awaitable) {
  run(io, [&]() -> asio::awaitable<void> {
    hold held = co_await lock.acquire(10s, asio::use_awaitable);
    auto lost = asio::co_spawn(io, held.wait_lost(as_result), asio::use_future);
    co_await held.release(asio::use_awaitable);
    const auto ready = [&] { return lost.wait_for(0s) == std::future_status::ready; };
    co_await eventually(ready);
    BOOST_TEST((std::get<0>(lost.get()) == asio::error::operation_aborted));
    held = co_await lock.try_acquire(asio::use_awaitable);
    co_await zk.close(asio::use_awaitable);
  });
}

BOOST_AUTO_TEST_CASE(operations_work_with_as_tuple) {
  run(io, [&]() -> asio::awaitable<void> {
    auto [error, held] = co_await lock.acquire(10s, asio::as_tuple(asio::deferred));
    BOOST_TEST(!error);
    BOOST_TEST(held.owns_lock());
    auto [answered, none] = co_await lock.try_acquire(as_result);
    BOOST_TEST(!answered);
    BOOST_TEST((none.state() == hold_state::empty));
    const auto [released] = co_await held.release(asio::as_tuple(asio::deferred));
    BOOST_TEST(!released);
    const auto [again] = co_await held.release(asio::as_tuple(asio::deferred));
    BOOST_TEST(again == errc::empty_hold);
    const auto [lost, reason] = co_await held.wait_lost(asio::as_tuple(asio::deferred));
    BOOST_TEST(lost == errc::empty_hold);
    BOOST_TEST(!reason);
  });
}

BOOST_AUTO_TEST_CASE(operations_work_with_redirect_error) {
  run(io, [&]() -> asio::awaitable<void> {
    error_code error;
    auto token = asio::redirect_error(asio::use_awaitable, error);
    const hold held = co_await lock.acquire(10s, token);
    BOOST_TEST(!error);
    const hold none = co_await lock.try_acquire(token);
    BOOST_TEST(!error);
    BOOST_TEST((none.state() == hold_state::empty));
  });
}

BOOST_AUTO_TEST_CASE(operations_work_with_a_callback) {
  std::optional<hold> held;
  lock.acquire(10s, [&](error_code error, hold h) {
    BOOST_TEST(!error);
    held = std::move(h);
  });
  run_until(io, [&] { return held.has_value(); });
  BOOST_TEST(held->owns_lock());
  // The handler may be movable only.
  std::optional<error_code> released;
  held->release([&, alone = std::make_unique<int>(7)](error_code error) {
    BOOST_TEST(*alone == 7);
    released = error;
  });
  BOOST_TEST((held->state() == hold_state::empty));
  run_until(io, [&] { return released.has_value(); });
  BOOST_TEST(!*released);
  BOOST_TEST(entries(witness, path) == 0u);
}

BOOST_AUTO_TEST_CASE(operations_work_with_use_future) {
  std::thread runner([this] { io.run(); });
  hold held = lock.acquire(10s, asio::use_future).get();
  BOOST_TEST(held.owns_lock());
  BOOST_CHECK_EXCEPTION(static_cast<void>(lock.acquire(0s, asio::use_future).get()),
                        boost::system::system_error,
                        [](const auto& error) { return error.code() == errc::busy; });
  auto lost = held.wait_lost(asio::use_future);
  held.release(asio::use_future).get();
  BOOST_CHECK_THROW(lost.get(), boost::system::system_error);
  BOOST_TEST(entries(witness, path) == 0u);
  zk.close(asio::use_future).get();
  // No work keeps the context busy any more.
  runner.join();
}

BOOST_AUTO_TEST_CASE(detached_acquire_releases_the_hold_at_once) {
  lock.acquire(asio::detached);
  // The hold is discarded, so it is released at once.
  run(io, [&]() -> asio::awaitable<void> {
    hold held = co_await lock.acquire(10s);
    held.release(asio::detached);
    BOOST_TEST((held.state() == hold_state::empty));
    co_await wait_for_entries(witness, path, 0);
  });
}

BOOST_AUTO_TEST_CASE(handler_bound_to_a_strand_runs_on_it) {
  const auto strand = asio::make_strand(io);
  std::optional<hold> held;
  bool done = false;
  lock.acquire(10s, asio::bind_executor(strand, [&](error_code error, hold h) {
                 BOOST_TEST(!error);
                 BOOST_TEST(strand.running_in_this_thread());
                 held = std::move(h);
               }));
  run_until(io, [&] { return held.has_value(); });
  held->wait_lost(asio::bind_executor(strand, [&](error_code error, error_code) {
    BOOST_TEST(error == asio::error::operation_aborted);
    BOOST_TEST(strand.running_in_this_thread());
  }));
  held->release(asio::bind_executor(strand, [&](error_code error) {
    BOOST_TEST(!error);
    BOOST_TEST(strand.running_in_this_thread());
    done = true;
  }));
  run_until(io, [&] { return done; });
  done = false;
  zk.close(asio::bind_executor(strand, [&](error_code error) {
    BOOST_TEST(!error);
    BOOST_TEST(strand.running_in_this_thread());
    done = true;
  }));
  run_until(io, [&] { return done; });
}

BOOST_AUTO_TEST_CASE(handler_bound_to_another_context_runs_there) {
  asio::io_context elsewhere{1};
  std::thread::id where;
  // The operation keeps the context `elsewhere` busy until it has completed there.
  lock.acquire(10s, asio::bind_executor(elsewhere, [&](error_code error, hold) {
                 BOOST_TEST(!error);
                 where = std::this_thread::get_id();
               }));
  std::thread runner([this] { io.run_for(50s); });
  BOOST_TEST(elsewhere.run_for(30s) != 0u);
  BOOST_TEST((where == std::this_thread::get_id()));
  BOOST_TEST(elsewhere.stopped());
  io.stop();
  runner.join();
}

BOOST_AUTO_TEST_CASE(bound_allocator_is_used_and_freed_before_the_handler_runs) {
  const auto living = std::make_shared<int>(0);
  std::optional<hold> held;
  const counting_allocator<char> allocator(living);
  lock.acquire(10s, asio::bind_allocator(allocator, [&](error_code error, hold h) {
                 BOOST_TEST(!error);
                 // The memory must be free for the next operation by now.
                 BOOST_TEST(*living == 0);
                 held = std::move(h);
               }));
  BOOST_TEST(*living != 0);
  run_until(io, [&] { return held.has_value(); });
  BOOST_TEST(*living == 0);
}

BOOST_AUTO_TEST_CASE(operations_work_in_a_parallel_group) {
  mutex other(zk, fresh_path());
  run(io, [&]() -> asio::awaitable<void> {
    auto both = asio::experimental::make_parallel_group(lock.acquire(10s), other.acquire(10s));
    const auto all =
        co_await both.async_wait(asio::experimental::wait_for_all(), asio::use_awaitable);
    BOOST_TEST(!std::get<1>(all));
    BOOST_TEST(std::get<2>(all).owns_lock());
    BOOST_TEST(!std::get<3>(all));
    BOOST_TEST(std::get<4>(all).owns_lock());
  });
}

BOOST_AUTO_TEST_SUITE_END()

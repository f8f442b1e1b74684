// with_lock and election::run with completion tokens: callbacks, futures, other executors.
#include "support/scene.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_future.hpp>
#include <boost/test/unit_test.hpp>

#include <exception>
#include <future>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>

using namespace zklock;
using namespace zklock::test;

namespace {

struct setting : blocking_scene {
  mutex lock{zk, path};
};

asio::awaitable<int> seven() {
  co_return 7;
}

} // namespace

BOOST_FIXTURE_TEST_SUITE(with_lock_tokens, setting, *boost::unit_test::timeout(60))

BOOST_AUTO_TEST_CASE(future_has_the_result_and_the_lock_is_released) {
  BOOST_TEST(get(with_lock(lock, 10s, seven, asio::use_future)) == 7);
  BOOST_TEST(entries(witness, path) == 0u);
  const auto look = [](hold& held) -> asio::awaitable<void> {
    if (!held.owns_lock()) throw std::logic_error("the lock is not held");
    co_return;
  };
  std::future<void> looked =
      with_lock(lock, acquire_options{.timeout = 10s}, look, asio::use_future);
  get(looked);
  BOOST_TEST(entries(witness, path) == 0u);
}

BOOST_AUTO_TEST_CASE(future_has_the_exception_of_the_body_and_of_the_acquire) {
  const auto fail = []() -> asio::awaitable<int> {
    throw std::out_of_range("what the body says");
    co_return 0;
  };
  auto failed = with_lock(lock, 10s, fail, asio::use_future);
  BOOST_CHECK_EXCEPTION(get(failed), std::out_of_range, [](const auto& error) {
    return error.what() == std::string("what the body says");
  });
  const hold held = get(lock.acquire(10s, asio::use_future));
  BOOST_TEST(error_of(with_lock(lock, 100ms, seven, asio::use_future)) == errc::timed_out);
}

BOOST_AUTO_TEST_CASE(callback_has_no_exception_and_the_result) {
  std::promise<std::optional<int>> ended;
  with_lock(lock, 10s, seven, [&](std::exception_ptr failure, int result) {
    ended.set_value(failure ? std::nullopt : std::optional(result));
  });
  const auto result = get(ended.get_future());
  BOOST_TEST((result == 7));
}

BOOST_AUTO_TEST_CASE(lock_may_be_destroyed_when_the_call_returns) {
  const hold held = get(lock.acquire(10s, asio::use_future));
  std::future<int> waiting;
  {
    mutex same(zk, path);
    waiting = with_lock(same, 10s, seven, asio::use_future);
  }
  wait_until([&] { return entries(witness, path) == 2u; });
  BOOST_TEST(!is_ready(waiting));
  witness.remove(held.node());
  BOOST_TEST(get(waiting) == 7);
}

BOOST_AUTO_TEST_CASE(lock_may_be_a_temporary_and_the_limit_may_be_left_out) {
  const shared_mutex book(zk, path + "-book");
  const semaphore desks(zk, path + "-desks", 2);
  BOOST_TEST(get(with_lock(book.shared(), seven, asio::use_future)) == 7);
  BOOST_TEST(get(with_lock(desks.permits(2), std::chrono::system_clock::now() + 10s, seven,
                           asio::use_future)) == 7);
  BOOST_TEST(get(with_lock(multi_lock(lock, book), {.timeout = 10s}, seven, asio::use_future)) ==
             7);
  // A coroutine that has not started has a copy of its lock.
  auto later = with_lock(mutex(zk, path), seven);
  BOOST_TEST(get(asio::co_spawn(io, std::move(later), asio::use_future)) == 7);
}

BOOST_AUTO_TEST_CASE(body_runs_on_the_executor_of_the_handler) {
  asio::thread_pool pool(1);
  std::promise<std::thread::id> pool_thread;
  asio::post(pool, [&] { pool_thread.set_value(std::this_thread::get_id()); });
  const auto thread = get(pool_thread.get_future());

  const auto where = []() -> asio::awaitable<std::thread::id> {
    co_return std::this_thread::get_id();
  };
  const auto strand = asio::make_strand(pool.get_executor());
  std::promise<bool> ended;
  with_lock(lock, 10s, where,
            asio::bind_executor(strand, [&](std::exception_ptr, std::thread::id body) {
              ended.set_value(body == thread && std::this_thread::get_id() == thread);
            }));
  BOOST_TEST(get(ended.get_future()));
  BOOST_TEST((get(with_lock(lock, 10s, where, asio::use_future)) != thread));
  pool.join();
}

BOOST_AUTO_TEST_CASE(cancellation_ends_the_body_and_releases_the_lock) {
  const auto strand = asio::make_strand(io);
  const auto stop = std::make_shared<asio::cancellation_signal>();
  std::promise<void> running;
  const auto body = [&]() -> asio::awaitable<void> {
    running.set_value();
    co_await wait_forever();
  };
  std::promise<error_code> ended;
  // It owns the signal, too, and may still use it when the test continues.
  auto end = [&ended, stop](std::exception_ptr failure) {
    try {
      if (failure) std::rethrow_exception(failure);
      ended.set_value({});
    } catch (const boost::system::system_error& error) {
      ended.set_value(error.code());
    }
  };
  with_lock(lock, 10s, body,
            asio::bind_cancellation_slot(stop->slot(), asio::bind_executor(strand, end)));
  get(running.get_future());
  asio::post(strand, [stop] { stop->emit(asio::cancellation_type::terminal); });
  BOOST_TEST(get(ended.get_future()) == asio::error::operation_aborted);
  wait_until([&] { return entries(witness, path) == 0u; });
}

BOOST_AUTO_TEST_CASE(coroutine_of_another_executor_awaits_locks_and_bodies) {
  using io_executor = asio::io_context::executor_type;
  const auto work = [&]() -> asio::awaitable<int, io_executor> {
    hold held = co_await lock.acquire(10s);
    co_await held.release();
    co_return co_await with_lock(lock, 10s, seven, asio::use_awaitable_t<io_executor>());
  };
  BOOST_TEST(get(asio::co_spawn(io, work, asio::use_future)) == 7);
}

BOOST_AUTO_TEST_CASE(several_locks_are_held_and_released) {
  multi_lock both(mutex(zk, path), mutex(zk, path + "b"));
  const auto look = [](multi_hold& held) -> asio::awaitable<bool> { co_return held.owns_lock(); };
  BOOST_TEST(get(with_lock(both, 10s, look, asio::use_future)));
  BOOST_TEST(entries(witness, path) == 0u);
}

BOOST_AUTO_TEST_CASE(leader_has_the_result_of_its_body) {
  const election candidate(zk, path);
  BOOST_TEST(get(candidate.run(seven, asio::use_future)) == 7);
  BOOST_TEST(entries(witness, path) == 0u);
}

BOOST_AUTO_TEST_SUITE_END()

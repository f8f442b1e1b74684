#include <zklock/zklock.hpp>

#include "zklock_work.hpp"

#include <boost/asio/version.hpp>

#include <stdexcept>

#if BOOST_ASIO_VERSION >= 102800 // Boost 1.82
#  include <boost/asio/bind_immediate_executor.hpp>
#  include <boost/asio/post.hpp>
#  include <boost/asio/this_coro.hpp>
#  include <boost/asio/use_awaitable.hpp>

#  include <cstddef>
#  include <cstdint>
#endif

namespace bench {

namespace asio = boost::asio;

#if BOOST_ASIO_VERSION >= 102800

namespace {

constexpr int grants_in_a_row = 10'000'000;

// Without posts, the end of the window would never be noticed.
constexpr int grants_between_posts = 1'000;

std::uintptr_t stack_pointer() {
  return reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
}

} // namespace

asio::awaitable<void> measure_stack(zklock_worker& worker) {
  zklock::mutex& lock = worker.locks.front();
  const auto executor = co_await asio::this_coro::executor;
  const auto token = asio::bind_immediate_executor(executor, asio::use_awaitable);
  // Caches the lock.
  for (int uses = 0; uses < 3; ++uses)
    co_await (co_await lock.acquire()).release();
  co_await asio::post(executor, asio::use_awaitable);
  const auto begin = stack_pointer();
  for (int i = 0; i < grants_in_a_row; ++i) {
    const zklock::hold hold = co_await lock.acquire(token);
    const auto now = stack_pointer();
    worker.seen.note_stack(begin > now ? begin - now : 0);
  }
}

asio::awaitable<void> keep_cycling_immediately(zklock_worker& worker) {
  zklock::mutex& lock = worker.locks.front();
  const auto token =
      asio::bind_immediate_executor(co_await asio::this_coro::executor, asio::use_awaitable);
  for (;;)
    co_await use_once(worker, lock, token);
}

asio::awaitable<void> release_in_background_immediately(zklock_worker& worker) {
  zklock::mutex& lock = worker.locks.front();
  const auto executor = co_await asio::this_coro::executor;
  const auto token = asio::bind_immediate_executor(executor, asio::use_awaitable);
  for (int turn = 1;; ++turn) {
    cycle one{};
    one.started = clock::now();
    {
      const zklock::hold hold = co_await lock.acquire(token);
      one.held = one.released = clock::now();
    }
    one.ended = clock::now();
    worker.seen.add(one);
    if (turn % grants_between_posts == 0) co_await asio::post(executor, asio::use_awaitable);
  }
}

#else

asio::awaitable<void> keep_cycling_immediately(zklock_worker&) {
  throw std::invalid_argument("handlers have no immediate executor in this release of Boost");
}

asio::awaitable<void> release_in_background_immediately(zklock_worker& worker) {
  return keep_cycling_immediately(worker);
}

asio::awaitable<void> measure_stack(zklock_worker& worker) {
  return keep_cycling_immediately(worker);
}

#endif

} // namespace bench

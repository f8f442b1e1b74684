#include <zklock/zklock.hpp>

#include "zklock_sleep.hpp"
#include "zklock_work.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <chrono>
#include <exception>
#include <functional>
#include <string>
#include <utility>

namespace bench {

namespace asio = boost::asio;
using namespace std::chrono_literals;

namespace {

// Several locks at once: each first use of a lock takes round trips.
constexpr std::size_t most_at_once = 64;

// A client cannot have more entries for a lock.
constexpr std::size_t readers_of_a_client = 1'000;

// The client evicts a cached lock that is unused for four times as long.
constexpr auto time_between_uses = 1s;

zklock::mutex other(zklock_worker& worker, const std::string& kind, std::size_t index) {
  return {worker.client, worker.chosen.path + "/" + kind + "-" + std::to_string(index)};
}

asio::awaitable<void> for_each(std::size_t count,
                               std::function<asio::awaitable<void>(std::size_t)> use) {
  if (count == 0) co_return;
  const auto executor = co_await asio::this_coro::executor;
  const std::size_t users = std::min(count, most_at_once);
  std::size_t left = users;
  std::exception_ptr problem;
  asio::steady_timer all_done(executor, clock::time_point::max());
  const auto use_some = [&](std::size_t first) -> asio::awaitable<void> {
    for (std::size_t i = first; i < count; i += users)
      co_await use(i);
  };
  for (std::size_t i = 0; i < users; ++i)
    asio::co_spawn(executor, use_some(i), [&](std::exception_ptr failure) {
      if (failure) problem = failure;
      if (--left == 0) all_done.cancel();
    });
  co_await all_done.async_wait(asio::as_tuple(asio::use_awaitable));
  expect_success(problem);
}

asio::awaitable<void> use_now_and_then(zklock_worker& worker) {
  for (auto next = clock::now();; next += time_between_uses) {
    co_await sleep_until(next);
    for (std::size_t i = 0; i < worker.cached.size(); ++i)
      co_await (co_await worker.cached[i].acquire()).release();
  }
}

// The first locks may be evicted before the last locks are cached.
asio::awaitable<void> cache_others(zklock_worker& worker) {
  asio::co_spawn(co_await asio::this_coro::executor, use_now_and_then(worker), expect_closed);
  co_await for_each(worker.chosen.cached, [&](std::size_t i) -> asio::awaitable<void> {
    zklock::mutex lock = other(worker, "cached", i);
    for (int uses = 0; uses < 2; ++uses)
      co_await (co_await lock.acquire()).release();
    worker.cached.push_back(lock);
  });
}

asio::awaitable<void> hold_as_readers(zklock_worker& worker) {
  const std::size_t count = worker.chosen.readers;
  const auto executor = co_await asio::this_coro::executor;
  for (std::size_t i = 0; i < count; i += readers_of_a_client)
    worker.readers.emplace_back(executor, worker.options);
  co_await for_each(count, [&](std::size_t i) -> asio::awaitable<void> {
    auto lock = lock_of_readers(worker.readers[i / readers_of_a_client], worker.chosen);
    worker.others.push_back(co_await lock.acquire_shared());
  });
}

asio::awaitable<void> wait_for_room(zklock_worker& worker, std::size_t index) {
  zklock::mutex lock = other(worker, "starved", index);
  static_cast<void>(co_await lock.acquire());
}

// While an acquisition waits for room, no other lock gets room: the measured lock has its entry
// before, and is handed over.
asio::awaitable<void> starve_others(zklock_worker& worker) {
  worker.place = co_await worker.locks.front().acquire();
  for (std::size_t i = 0;; ++i) {
    zklock::mutex lock = other(worker, "full", i);
    auto [failure, hold] = co_await lock.try_acquire(asio::as_tuple(asio::use_awaitable));
    if (failure == zklock::errc::budget_exhausted) break;
    worker.others.push_back(std::move(hold));
  }
  const auto executor = co_await asio::this_coro::executor;
  for (std::size_t i = 0; i < worker.chosen.starved; ++i)
    asio::co_spawn(executor, wait_for_room(worker, i), expect_closed);
}

} // namespace

asio::awaitable<void> surround(zklock_worker& worker) {
  co_await for_each(worker.chosen.known, [&](std::size_t i) -> asio::awaitable<void> {
    zklock::mutex lock = other(worker, "known", i);
    co_await (co_await lock.acquire()).release();
  });
  co_await for_each(worker.chosen.held, [&](std::size_t i) -> asio::awaitable<void> {
    zklock::mutex lock = other(worker, "held", i);
    worker.others.push_back(co_await lock.acquire());
  });
  if (worker.chosen.mode == work::hold) co_await hold_as_readers(worker);
  if (worker.chosen.cached > 0) co_await cache_others(worker);
  if (worker.chosen.starved > 0) co_await starve_others(worker);
}

} // namespace bench

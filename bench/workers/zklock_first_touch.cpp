#include <zklock/zklock.hpp>

#include "zklock_crowd.hpp"
#include "zklock_sleep.hpp"
#include "zklock_work.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <chrono>
#include <random>
#include <stdexcept>
#include <string>

namespace bench {

namespace asio = boost::asio;
using namespace std::chrono_literals;

namespace {

constexpr auto quiet = asio::as_tuple(asio::use_awaitable);

// In each slot of the clock that both processes share, the first process acquires a new lock often
// enough to cache it, and later the second process acquires it, too. A path that two processes want
// is not cached for a while, so no slot uses the path of another. Slots are longer where many
// acquisitions get in line.
clock::duration length_of_slot(const zklock_worker& worker) {
  if (worker.chosen.waiting == 0) return 20ms;
  return 100ms + worker.chosen.waiting * 20us;
}

clock::time_point next_slot(const zklock_worker& worker) {
  const auto now = clock::now().time_since_epoch();
  const auto length = length_of_slot(worker);
  return clock::time_point(now - now % length + length);
}

zklock::mutex lock_of_slot(zklock_worker& worker, clock::time_point begin) {
  return {worker.client, worker.chosen.path + "/" +
                             std::to_string(begin.time_since_epoch() / length_of_slot(worker))};
}

// Holds the cached lock until its release is requested, with acquisitions in the line.
asio::awaitable<void> await_request(zklock_worker& worker, zklock::mutex& lock,
                                    clock::time_point end) {
  using namespace asio::experimental::awaitable_operators;
  zklock::hold hold = co_await lock.acquire();
  crowd waiting(co_await asio::this_coro::executor, lock, worker.chosen.waiting);
  co_await (hold.wait_release_requested(quiet) || sleep_until(end));
  co_await hold.release(quiet);
  co_await waiting.give_up({});
}

asio::awaitable<zklock::hold> acquire(zklock::mutex& lock, cycle& one) {
  zklock::hold hold = co_await lock.acquire();
  one.held = one.released = one.ended = clock::now();
  co_return hold;
}

asio::awaitable<void> request_release(const zklock::mutex& lock, cycle& one) {
  const auto [failure, holders] = co_await lock.holders(quiet);
  one.started = clock::now();
  if (!holders.empty()) co_await lock.request_release(holders.front(), quiet);
}

// Measures from the request to the hold. The request that tells the holders is sent behind the
// create, so the entry is in line by then. On a busy machine the first process may be late.
asio::awaitable<void> revoke(zklock_worker& worker, zklock::mutex& lock) {
  using namespace asio::experimental::awaitable_operators;
  cycle one{};
  const zklock::hold hold = co_await (acquire(lock, one) && request_release(lock, one));
  if (one.started < one.held) worker.seen.add(one);
}

} // namespace

asio::awaitable<void> keep_new_locks(zklock_worker& worker) {
  for (int slots = 1;; ++slots) {
    const auto begin = next_slot(worker);
    co_await sleep_until(begin);
    zklock::mutex lock = lock_of_slot(worker, begin);
    for (int i = 0; i < 3; ++i)
      co_await (co_await lock.acquire()).release();
    if (worker.chosen.waiting > 0)
      co_await await_request(worker, lock, begin + length_of_slot(worker));
    // On a busy machine the second process may be the first in a slot, but not in all.
    if (slots == 20 && worker.client.stats().total.handed_over == 0)
      throw std::logic_error("no lock was kept");
  }
}

asio::awaitable<void> touch_kept_locks(zklock_worker& worker) {
  const auto length = length_of_slot(worker).count();
  std::uniform_int_distribution<clock::rep> any(length / 2, length * 3 / 4);
  for (;;) {
    const auto begin = next_slot(worker);
    co_await sleep_until(begin + clock::duration(any(worker.dice)));
    zklock::mutex lock = lock_of_slot(worker, begin);
    if (worker.chosen.waiting > 0)
      co_await revoke(worker, lock);
    else
      co_await use_once(worker, lock);
  }
}

} // namespace bench

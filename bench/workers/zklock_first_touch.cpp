#include <zklock/zklock.hpp>

#include "zklock_sleep.hpp"
#include "zklock_work.hpp"

#include <chrono>
#include <random>
#include <stdexcept>
#include <string>

namespace bench {

namespace asio = boost::asio;
using namespace std::chrono_literals;

namespace {

// In each slot of the clock that both processes share, the first process acquires a new lock often
// enough to cache it, and later the second process acquires it, too. A path that two processes want
// is not cached for a while, so no slot uses the path of another.
constexpr auto slot = 20ms;
constexpr auto earliest_touch = 10ms;
constexpr auto latest_touch = 15ms;

clock::time_point next_slot() {
  const auto now = clock::now().time_since_epoch();
  return clock::time_point(now - now % slot + slot);
}

zklock::mutex lock_of_slot(zklock_worker& worker, clock::time_point begin) {
  return {worker.client,
          worker.chosen.path + "/" + std::to_string(begin.time_since_epoch() / slot)};
}

} // namespace

asio::awaitable<void> keep_new_locks(zklock_worker& worker) {
  for (int slots = 1;; ++slots) {
    const auto begin = next_slot();
    co_await sleep_until(begin);
    zklock::mutex lock = lock_of_slot(worker, begin);
    for (int i = 0; i < 3; ++i)
      co_await (co_await lock.acquire()).release();
    // On a busy machine the second process may be the first in a slot, but not in all.
    if (slots == 20 && worker.client.stats().total.handed_over == 0)
      throw std::logic_error("no lock was kept");
  }
}

asio::awaitable<void> touch_kept_locks(zklock_worker& worker) {
  std::uniform_int_distribution<clock::rep> any(clock::duration(earliest_touch).count(),
                                                clock::duration(latest_touch).count());
  for (;;) {
    const auto begin = next_slot();
    co_await sleep_until(begin + clock::duration(any(worker.dice)));
    zklock::mutex lock = lock_of_slot(worker, begin);
    co_await use_once(worker, lock);
  }
}

} // namespace bench

#include <zklock/zklock.hpp>

#include "zklock_sleep.hpp"
#include "zklock_work.hpp"

#include <chrono>

namespace bench {

namespace asio = boost::asio;
using namespace std::chrono_literals;

zklock::shared_mutex lock_of_readers(zklock::client& client, const settings& chosen) {
  return {client, lock_of(chosen, 0) + "-read"};
}

// A single coroutine: the frame of another coroutine would be measured, too.
asio::awaitable<void> keep_reading(zklock_worker& worker) {
  zklock::shared_mutex lock = lock_of_readers(worker.client, worker.chosen);
  for (;;) {
    cycle one{};
    one.started = clock::now();
    zklock::hold hold = co_await lock.acquire_shared();
    one.held = one.released = clock::now();
    co_await hold.release();
    one.ended = clock::now();
    worker.seen.add(one);
  }
}

asio::awaitable<void> write_each_second(zklock_worker& worker) {
  zklock::shared_mutex lock = lock_of_readers(worker.client, worker.chosen);
  // No write begins with a window, 0.7 s or whole seconds after the start: the servers are then
  // asked for their counters, which costs them several milliseconds of a core.
  for (auto next = clock::now() + 500ms;; next += 1s) {
    co_await sleep_until(next);
    co_await use_once(worker, lock);
  }
}

} // namespace bench

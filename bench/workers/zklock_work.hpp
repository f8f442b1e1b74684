#pragma once

#include <zklock/client.hpp>
#include <zklock/client_options.hpp>
#include <zklock/hold.hpp>
#include <zklock/mutex.hpp>
#include <zklock/shared_mutex.hpp>

#include "measurement.hpp"
#include "settings.hpp"

#include <boost/asio/awaitable.hpp>

#include <cstddef>
#include <deque>
#include <exception>
#include <random>
#include <vector>

namespace bench {

/// The state that coroutines share. All coroutines of a worker run on a single thread, or a worker
/// has a single coroutine.
struct zklock_worker {
  const settings& chosen;
  const zklock::client_options& options;
  zklock::client& client;
  measurement::samples& seen;
  /// An object for each lock, shared by its waiters.
  std::vector<zklock::mutex> locks{};
  /// The other locks of the client.
  std::vector<zklock::hold> others{};
  /// The clients of the readers.
  std::deque<zklock::client> readers{};
  std::vector<zklock::mutex> cached{};
  /// Keeps the entry of the first lock until the waiters are in line.
  zklock::hold place{};
  std::minstd_rand dice{static_cast<unsigned>(chosen.index + 1)};
};

/// Measures a cycle of a mutex or a writer.
template <class Lock, class... Options>
boost::asio::awaitable<void> use_once(zklock_worker& worker, Lock& lock, Options... options) {
  cycle one{};
  one.started = clock::now();
  zklock::hold hold = co_await lock.acquire(options...);
  one.held = one.released = clock::now();
  co_await hold.release();
  one.ended = clock::now();
  worker.seen.add(one);
}

/// The handler of a coroutine that must not fail.
void expect_success(std::exception_ptr failure);

/// The handler of a coroutine that runs until the client is closed.
void expect_closed(std::exception_ptr failure);

/// Connects, creates the parents of the locks, and makes the other locks of the client.
boost::asio::awaitable<void> prepare(zklock_worker& worker);

/// Makes the other locks of the client: held, known, cached and starved. In the process that holds
/// a lock for another process, makes the readers.
boost::asio::awaitable<void> surround(zklock_worker& worker);

/// Runs a waiter until the client is closed. Throws `errc::closed` then.
boost::asio::awaitable<void> work_as(zklock_worker& worker, std::size_t waiter);

/// Acquires new locks all the time, of which `touch_kept_locks` of another process acquires each
/// once while it is kept.
boost::asio::awaitable<void> keep_new_locks(zklock_worker& worker);
boost::asio::awaitable<void> touch_kept_locks(zklock_worker& worker);

/// Makes clients, and measures until each has its session.
boost::asio::awaitable<void> keep_connecting(zklock_worker& worker);

/// Queues many acquisitions, and cancels all of them at once.
boost::asio::awaitable<void> keep_giving_up(zklock_worker& worker);

/// Returns the lock of readers and writers.
zklock::shared_mutex lock_of_readers(zklock::client& client, const settings& chosen);

/// The readers of a lock in several processes, and the writer in another process.
boost::asio::awaitable<void> keep_reading(zklock_worker& worker);
boost::asio::awaitable<void> write_each_second(zklock_worker& worker);

/// Acquires a cached lock by the immediate executor of the handler. Like the two functions below,
/// throws `std::invalid_argument` with releases of Boost that have no immediate executors.
boost::asio::awaitable<void> keep_cycling_immediately(zklock_worker& worker);

boost::asio::awaitable<void> release_in_background_immediately(zklock_worker& worker);

/// Measures how much a loop of acquires by the immediate executor grows the stack.
boost::asio::awaitable<void> measure_stack(zklock_worker& worker);

/// Acquires the lock, and the lock of readers as often as there are readers. Prints that, and holds
/// until the standard input ends.
boost::asio::awaitable<void> hold_it(zklock_worker& worker);

} // namespace bench

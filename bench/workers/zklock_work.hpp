#pragma once

#include <zklock/client.hpp>
#include <zklock/hold.hpp>
#include <zklock/mutex.hpp>

#include "measurement.hpp"
#include "settings.hpp"

#include <boost/asio/awaitable.hpp>

#include <cstddef>
#include <random>
#include <vector>

namespace bench {

/// What the coroutines of a worker share. All of them run on one thread.
struct zklock_worker {
  const settings& chosen;
  zklock::client& client;
  measurement::samples& seen;
  /// One object for each lock, which its waiters share.
  std::vector<zklock::mutex> locks{};
  std::vector<zklock::hold> others{};
  std::minstd_rand dice{static_cast<unsigned>(chosen.index + 1)};
};

/// Connects, makes the directories above the locks, and takes what is to be held all the while.
boost::asio::awaitable<void> prepare(zklock_worker& worker);

/// What one waiter does until the client is closed: throws `errc::closed` then.
boost::asio::awaitable<void> work_as(zklock_worker& worker, std::size_t waiter);

/// Takes the lock, says so, and holds it until the standard input ends.
boost::asio::awaitable<void> hold_it(zklock_worker& worker);

} // namespace bench

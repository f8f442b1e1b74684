#pragma once

#include <zklock/mutex.hpp>

#include "measurement.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/steady_timer.hpp>

#include <cstddef>
#include <deque>
#include <functional>

namespace bench {

/// Acquisitions in the line of a lock, which give up all at once.
class crowd {
 public:
  /// Starts the acquisitions.
  crowd(const boost::asio::any_io_executor& executor, zklock::mutex& lock, std::size_t count);

  /// Cancels the acquisitions, and waits until the last has ended. Calls `ended` as each of them
  /// ends. Must be awaited before the object is destroyed.
  boost::asio::awaitable<void> give_up(std::function<void()> ended);

 private:
  std::deque<boost::asio::cancellation_signal> signals_;
  std::size_t left_;
  std::function<void()> ended_{};
  boost::asio::steady_timer all_ended_;
};

} // namespace bench

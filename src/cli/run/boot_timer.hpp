#pragma once

#include <zklock/clock.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>

namespace zklock::cli {

/// A timer of `boot_clock` for a coroutine.
class boot_timer {
 public:
  explicit boot_timer(const boost::asio::any_io_executor& executor);

  /// Waits until a time, or until `wake`. A call of `wake` since the last wait counts.
  boost::asio::awaitable<void> wait_until(boot_clock::time_point time);

  void wake();

 private:
  void set(boot_clock::time_point time);

  boost::asio::posix::stream_descriptor timer_;
  bool woken_ = false;
};

} // namespace zklock::cli

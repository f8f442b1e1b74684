#pragma once

#include "support/unique_descriptor.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

namespace zklock::cli {

/// A signal that the process in front has got.
struct passed_signal {
  /// 0: the process in front has ended.
  std::uint8_t number = 0;
  /// The terminal has sent it to the foreground process group.
  bool from_terminal = false;
};

/// Makes the two ends of a channel from the front process to the holder process. Throws `failure`.
std::pair<detail::unique_descriptor, detail::unique_descriptor> make_channel();

/// The end in the process that holds the lock.
class signal_channel {
 public:
  signal_channel(const boost::asio::any_io_executor& executor, detail::unique_descriptor end);

  /// Sets the handler of each signal; without a handler, signals wait.
  void set_handler(std::function<void(passed_signal)> handler);

  /// Reads until the process in front has ended.
  boost::asio::awaitable<void> listen();

  /// Has the front process look at the shared state.
  void poke();

 private:
  void deliver(passed_signal arrived);

  boost::asio::posix::stream_descriptor end_;
  std::function<void(passed_signal)> handler_;
  std::vector<passed_signal> waiting_;
};

} // namespace zklock::cli

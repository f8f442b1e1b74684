#pragma once

#include <zklock/any_lock.hpp>
#include <zklock/client.hpp>
#include <zklock/hold.hpp>

#include "cli/run/run_options.hpp"
#include "cli/run/signal_channel.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/steady_timer.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace zklock::cli {

/// Ends the program because of a signal that came before there was a command.
struct ended_by_signal {
  int number;
};

/// Waits for the lock of `zklock run`. A signal, servers that do not answer, and a wait for an
/// outer run end it.
class lock_waiter {
 public:
  lock_waiter(client& zk, const run_options& options, signal_channel& signals);

  /// Returns the hold. Throws `failure`, and `ended_by_signal`.
  boost::asio::awaitable<hold> acquire();

 private:
  any_lock make_lock() const;
  void end(const std::string& why, int code);
  void on_signal(passed_signal arrived);
  void on_queued(std::size_t ahead);
  boost::asio::awaitable<void> limit_connecting();
  boost::asio::awaitable<void> look_for_outer_runs();
  [[noreturn]] void fail(const error_code& error) const;

  client& zk_;
  const run_options& options_;
  signal_channel& signals_;
  any_lock lock_;
  std::vector<std::int64_t> outer_;
  boost::asio::cancellation_signal cancel_;
  boost::asio::steady_timer connecting_;
  std::optional<int> signal_;
  std::string why_;
  int code_ = 0;
};

} // namespace zklock::cli

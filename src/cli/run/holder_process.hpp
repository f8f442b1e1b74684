#pragma once

#include <zklock/client.hpp>
#include <zklock/hold.hpp>

#include "cli/run/environment.hpp"
#include "cli/run/inherited_signals.hpp"
#include "cli/run/job.hpp"
#include "cli/run/lock_waiter.hpp"
#include "cli/run/processes.hpp"
#include "cli/run/run_options.hpp"
#include "cli/run/shared_state.hpp"
#include "cli/run/signal_channel.hpp"
#include "cli/run/supervisor.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <optional>
#include <string>

namespace zklock::cli {

/// The process that has the session, holds the lock, and starts the command. It goes on while the
/// process in front is stopped, as by ^Z, so that the lock is kept.
class holder_process {
 public:
  holder_process(const run_options& options, detail::unique_descriptor channel, shared_state& state,
                 const inherited_signals& signals, surroundings where);

  /// Returns the exit code. Throws `failure`.
  int run();

 private:
  using clock = std::chrono::steady_clock;

  boost::asio::awaitable<int> work();
  boost::asio::awaitable<int> run_command();
  job start(const variables& told);
  boost::asio::awaitable<void> keep_until(clock::time_point end);
  boost::asio::awaitable<void> release_hold();
  void say(const std::string& what, clock::time_point since) const;

  const run_options& options_;
  shared_state& state_;
  const inherited_signals& inherited_;
  surroundings where_;
  process_list processes_;
  boost::asio::io_context io_{1};
  signal_channel signals_;
  client zk_;
  hold held_;
  std::optional<lock_waiter> waiter_;
  std::optional<supervisor> supervisor_;
  boost::asio::steady_timer keep_timer_;
  boost::asio::steady_timer release_timer_;
  boost::asio::cancellation_signal give_up_;
};

} // namespace zklock::cli

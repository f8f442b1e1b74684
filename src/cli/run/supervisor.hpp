#pragma once

#include <zklock/hold.hpp>

#include "cli/run/boot_timer.hpp"
#include "cli/run/end_timing.hpp"
#include "cli/run/job.hpp"
#include "cli/run/run_options.hpp"
#include "cli/run/shared_state.hpp"
#include "cli/run/signal_channel.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/signal_set.hpp>

#include <sys/types.h>

#include <optional>
#include <string>

namespace zklock::cli {

/// Where a command runs.
struct surroundings {
  /// The process that the user has started.
  pid_t front = 0;
  /// The process group of the command; 0: a new group. On a terminal the command is in the group of
  /// the front process, so that the shell and the keyboard control both.
  pid_t group = 0;
};

/// Keeps watch while a command runs: passes signals on to it, and ends it before the lock can pass
/// to another holder. Without a command, waits for a signal.
class supervisor {
 public:
  /// To be made before the command is started. `held` must live as long.
  supervisor(const boost::asio::any_io_executor& executor, const hold& held,
             const run_options& options, end_timing timing, signal_channel& signals,
             shared_state& state, surroundings where);

  /// Waits until no process of the command is left. Returns the exit code.
  boost::asio::awaitable<int> watch(std::optional<job> command);

  /// Returns whether a signal has asked to end, or the end of the process in front.
  bool asked_to_end() const { return asked_.has_value(); }

 private:
  boost::asio::awaitable<void> watch_children();
  boost::asio::awaitable<void> watch_loss();
  boost::asio::awaitable<void> watch_requests();
  void share_stop();
  void on_signal(passed_signal arrived);
  void on_front_ended();
  void pass_on(int number);
  void on_lost(const error_code& reason);
  void look_at_time();
  void show_end_of_command();
  void end(const std::string& why, boot_clock::time_point kill);
  bool over() const;
  int code() const;
  boot_clock::time_point end_of_command() const;
  boot_clock::time_point next_look() const;

  const hold& held_;
  const run_options& options_;
  end_timing timing_;
  signal_channel& signals_;
  shared_state& state_;
  surroundings where_;
  boot_clock::time_point end_of_limit_;
  boot_timer timer_;
  boost::asio::signal_set children_;
  std::optional<job> command_;
  /// The process in front was stopped with the command.
  bool front_stopped_ = false;
  /// The lock was lost, or was about to be.
  bool lost_ = false;
  /// Standard error says that the command is killed.
  bool killing_ = false;
  /// A signal has asked to end, at this time.
  std::optional<boot_clock::time_point> asked_;
  /// When all that is left gets SIGKILL, in any case.
  boot_clock::time_point kill_ = boot_clock::time_point::max();
};

} // namespace zklock::cli

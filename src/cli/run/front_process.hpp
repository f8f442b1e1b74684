#pragma once

#include "cli/run/shared_state.hpp"
#include "unique_descriptor.hpp"

#include <signal.h>
#include <sys/types.h>

#include <chrono>
#include <optional>
#include <vector>

namespace zklock::cli {

/// The process that the user has started. It passes signals on to the process that holds the lock,
/// and ends the command in time where that process is stopped or has been killed.
class front_process {
 public:
  /// `holder` is a child of this process, which must be a subreaper. `taken` are signals that are
  /// blocked.
  front_process(pid_t holder, detail::unique_descriptor channel, const shared_state& state,
                sigset_t taken, std::chrono::nanoseconds kill_after);

  /// Waits for the other process. Returns the exit code.
  int run();

 private:
  void pass_signals_on();
  void read_pokes();
  void reap();
  int finish();
  int kill_overdue();
  void end_command(boot_clock::time_point kill);
  bool signal_command(int number) const;

  pid_t holder_;
  std::vector<pid_t> others_;
  detail::unique_descriptor channel_;
  const shared_state& state_;
  detail::unique_descriptor signals_;
  detail::unique_descriptor timer_;
  std::chrono::nanoseconds kill_after_;
  std::optional<int> status_;
};

} // namespace zklock::cli

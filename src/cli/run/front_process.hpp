#pragma once

#include "cli/run/processes.hpp"
#include "cli/run/shared_state.hpp"
#include "support/unique_descriptor.hpp"

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
  /// Must be constructed before the holder process is started. `taken` are signals that are
  /// blocked. Throws `failure`.
  front_process(const shared_state& state, sigset_t taken, std::chrono::nanoseconds kill_after);

  /// Waits for the holder process, a child of this process, which is a subreaper. Returns the exit
  /// code.
  int run(pid_t holder, detail::unique_descriptor channel);

 private:
  void pass_signals_on();
  void read_pokes();
  void reap();
  int finish();
  int kill_overdue();
  void end_command(boot_clock::time_point kill);
  bool signal_command(int number) const;

  const shared_state& state_;
  process_list processes_;
  std::vector<pid_t> others_;
  detail::unique_descriptor signals_;
  detail::unique_descriptor timer_;
  std::chrono::nanoseconds kill_after_;
  pid_t holder_ = 0;
  detail::unique_descriptor channel_;
  std::optional<int> status_;
};

} // namespace zklock::cli

#pragma once

#include "cli/run/processes.hpp"

#include <sys/types.h>

#include <optional>

namespace zklock::cli {

/// A command and all processes that it has started, except processes in sessions of their own. This
/// process must be a subreaper, and start no other process.
class job {
 public:
  /// `leader` is the command's first process. `all` must live as long.
  job(pid_t leader, const process_list& all) noexcept : leader_(leader), all_(&all) {}

  /// Sends all of them a signal.
  void signal(int number) const;

  /// Takes notice of children that have ended or were stopped. To call after each SIGCHLD.
  void reap();

  /// Returns the status of the command's first process as `waitpid` gives it, once it has ended.
  std::optional<int> status() const noexcept { return status_; }

  /// Returns whether that process is stopped.
  bool stopped() const;

  /// Returns whether none of the processes is left.
  bool gone() const;

 private:
  pid_t leader_;
  const process_list* all_;
  std::optional<int> status_;
  bool has_children_ = true;
};

} // namespace zklock::cli

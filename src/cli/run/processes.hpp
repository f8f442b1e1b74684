#pragma once

#include "support/unique_descriptor.hpp"

#include <sys/types.h>

#include <vector>

namespace zklock::cli {

/// A process as /proc shows it.
struct process {
  pid_t id = 0;
  pid_t parent = 0;
  pid_t group = 0;
  pid_t session = 0;
  /// `T` is stopped, `Z` has ended.
  char state = '?';
};

/// Returns a process as /proc shows it; without an id if the process does not exist.
process find_process(pid_t id);

/// The processes that descend from the calling process.
///
/// The list of the children comes from a file that is open from the start. Thus it can be read when
/// the process has no descriptor left, or /proc is gone. Deeper descendants are then missing until
/// their parents have ended, since they become children of a subreaper. So a subreaper that kills
/// all descendants again and again ends every descendant in any case.
class process_list {
 public:
  /// Must be constructed by the first thread of the process, whose children orphans become. Throws
  /// `failure` if /proc cannot be read or belongs to another PID namespace.
  process_list();

  /// Returns the processes that descend from the calling process, are in its session, and have not
  /// ended. Processes that have made a session of their own, as daemons do, are left out.
  ///
  /// For a subreaper the list has all processes that its children have started, whether their
  /// parents live or not. The processes of the list `without`, and their descendants, are left out.
  std::vector<process> descendants(const std::vector<pid_t>& without = {}) const;

 private:
  std::vector<pid_t> children() const;

  detail::unique_descriptor children_;
};

} // namespace zklock::cli

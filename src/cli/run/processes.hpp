#pragma once

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

/// Returns what /proc shows of a process; one without an id where it does not exist.
process find_process(pid_t id);

/// Returns the processes that descend from this one, are in its session, and have not ended. A
/// process that has made a session of its own, as a daemon does, is none of them.
///
/// For a subreaper these are all that its children have started, whether their parents live or not.
///
/// Those of the list `without`, and their descendants, are left out. Throws `failure` where /proc
/// cannot be read.
std::vector<process> descendants(const std::vector<pid_t>& without = {});

} // namespace zklock::cli

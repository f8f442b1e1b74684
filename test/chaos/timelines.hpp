#pragma once

#include "chaos/checker.hpp"

#include <cstddef>
#include <vector>

namespace chaos {

/// On which data a process lives. Each restore begins another timeline. A process enters it with
/// its first connection after that: until then its client cannot know of the restore.
class timelines {
 public:
  timelines(const std::vector<restore>& restores, const history& of);

  /// Returns the number of restores that the process has seen at a time.
  std::size_t at(nanoseconds time) const;

  /// Returns when the timeline ends to which a time of the process belongs; `never` for the last.
  nanoseconds end_after(nanoseconds time) const;

  /// Returns when the process entered the timeline that follows the timeline of `time`; `never` if
  /// the process has not entered it.
  nanoseconds next_arrival(nanoseconds time) const;

  /// Returns whether the process may tell of a restore at a time.
  bool may_tell(nanoseconds time) const;

  /// Returns whether the servers' nodes have differed since the last restore, at a time.
  bool differ(const std::vector<nanoseconds>& differences, nanoseconds time) const;

 private:
  const std::vector<restore>& restores_;
  /// The times at which the process has entered the timelines.
  std::vector<nanoseconds> arrivals_;
};

} // namespace chaos

#pragma once

#include "queue/line.hpp"

#include <array>
#include <optional>

namespace zklock::queue {

/// Walks our entries that may be granted, from the head of the line, and counts their predecessors
/// without a walk over all of them.
class line_scan {
 public:
  explicit line_scan(const line& of) noexcept : of_(of) {}

  /// Returns the next entry of ours that waits, or may be granted again since it is cached; null if
  /// there is none. A cached entry with the role of an earlier cached entry follows once the
  /// earlier entry is granted.
  entry* next() noexcept;

  /// Counts the entries before a number: entries of other clients, and entries of ours that hold or
  /// are cached.
  void reach(sequence number) noexcept;

  /// Adds an entry of ours that waits.
  void add(role wants) noexcept { waiting_.add(wants); }
  bool may_hold(role wants) const noexcept { return of_.policy().may_hold(all(), wants); }
  bool blocks_all() const noexcept { return of_.policy().blocks_all(all()); }

 private:
  // It matters only whether a count is 0.
  predecessors all() const noexcept {
    return {.entries = waiting_.entries + others_.entries,
            .exclusive = waiting_.exclusive + others_.exclusive};
  }

  const line& of_;
  predecessors waiting_;
  predecessors others_;
  std::optional<sequence> last_waiting_;
  std::array<const entry*, 2> last_cached_{};
};

} // namespace zklock::queue

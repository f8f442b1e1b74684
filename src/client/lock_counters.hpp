#pragma once

#include <zklock/error.hpp>
#include <zklock/stats.hpp>

#include "client/counters.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>

namespace zklock::detail {

/// The numbers of a `lock_stats`: a group of locks with the same label. Changed on the client's
/// strand only, read by any thread.
///
/// Invariant: an acquisition counts in `waiters`, in `holds` or in one of the other counters that
/// tell how it ended.
class lock_counters {
 public:
  /// An acquire waits from now on.
  void waits() noexcept { waiters_.add(); }
  /// It waits in another group from now on.
  void leaves() noexcept { waiters_.subtract(); }

  // The end of a wait.
  void granted(std::chrono::nanoseconds waited, bool handed_over) noexcept;
  void reentered() noexcept;
  void refused(const error_code& why) noexcept;

  // The end of a hold.
  void released(std::chrono::nanoseconds held) noexcept;
  void lost(const error_code& why, std::chrono::nanoseconds held) noexcept;

  // Of locks that are kept: granted at once or in turn, and given back, in any thread. What the
  // strand adopts meanwhile ends as any other hold, and what it hands out ends here: `holds` is the
  // difference of all grants and all ends.
  void kept_granted() noexcept { kept_granted_.fetch_add(1, std::memory_order_relaxed); }
  void kept_released(std::chrono::nanoseconds held) noexcept { kept_held_.add(held); }
  void kept_waits() noexcept { kept_waiters_.fetch_add(1, std::memory_order_relaxed); }
  /// It waits no more, or the strand has adopted it.
  void kept_leaves() noexcept { kept_waiters_.fetch_sub(1, std::memory_order_relaxed); }
  void kept_granted(std::chrono::nanoseconds waited) noexcept {
    kept_leaves();
    kept_waited_.add(waited);
  }

  void release_requested() noexcept { release_requests_.add(); }

  /// Any thread.
  lock_stats read() const noexcept;

 private:
  struct losses {
    event_counter session_expired;
    event_counter data_rolled_back;
    event_counter entry_deleted;
    event_counter hold_limit_reached;
    event_counter closed;
    event_counter failed;
  };

  event_counter& outcome(const error_code& why) noexcept;
  event_counter& loss(const error_code& why) noexcept;

  event_counter acquired_;
  event_counter reentered_;
  event_counter handed_over_;
  event_counter timed_out_;
  event_counter cancelled_;
  event_counter busy_;
  event_counter failed_;
  event_counter released_;
  losses lost_;
  event_counter release_requests_;
  event_counter waiters_;
  duration_counters waited_;
  duration_counters held_;
  std::atomic<std::uint64_t> kept_granted_{0};
  std::atomic<std::uint64_t> kept_waiters_{0};
  shared_duration_counters kept_waited_;
  shared_duration_counters kept_held_;
};

void add(lock_stats& total, const lock_stats& more) noexcept;

} // namespace zklock::detail

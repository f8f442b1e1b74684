#pragma once

#include <zklock/error.hpp>
#include <zklock/stats.hpp>

#include "client/counters.hpp"

#include <array>
#include <chrono>
#include <cstdint>

namespace zklock::detail {

/// The counters of all locks with a label. Changed on the client's strand, except by functions that
/// say otherwise, and read by any thread. Invariant: an acquisition counts in `waiters`, in
/// `holds`, or in the counter that tells how the acquisition ended.
class lock_counters {
 public:
  /// Counts an acquire that waits from now on. Any thread.
  void waits() noexcept { waiters_.add(); }
  /// The acquire waits in another group from now on, or waits no more. Any thread.
  void leaves() noexcept { waiters_.subtract(); }

  // The end of a wait.
  void granted(std::chrono::nanoseconds waited, bool handed_over) noexcept;
  void reentered() noexcept;
  void refused(const error_code& why) noexcept;

  // The end of a hold.
  void released(std::chrono::nanoseconds held) noexcept;
  void lost(const error_code& why, std::chrono::nanoseconds held) noexcept;

  // Grants and releases on the fast path, in any thread. A hold may begin on the fast path and end
  // on the strand, or vice versa: `holds` is the difference of all grants and all ends.
  void granted_at_once() noexcept { fast_.at_once.add(); }
  void granted_fast(std::chrono::nanoseconds waited) noexcept {
    leaves();
    fast_.waited.add(waited);
  }
  void released_fast(std::chrono::nanoseconds held) noexcept { fast_.held.add(held); }

  void release_requested() noexcept { release_requests_.add(); }

  /// Any thread.
  lock_stats read() const noexcept;

 private:
  struct refusals {
    event_counter timed_out;
    event_counter cancelled;
    event_counter busy;
    event_counter failed;
  };

  /// Changed by several threads at a time.
  struct fast_path {
    shared_counter<std::uint64_t> at_once;
    duration_counters<shared_counter> waited;
    duration_counters<shared_counter> held;
  };

  event_counter& outcome(const error_code& why) noexcept;

  event_counter reentered_;
  event_counter handed_over_;
  refusals refused_;
  event_counter released_;
  // In the order of `losses`.
  std::array<event_counter, 6> lost_;
  event_counter release_requests_;
  shared_counter<std::uint64_t> waiters_;
  duration_counters<counter> waited_;
  duration_counters<counter> held_;
  fast_path fast_;
};

void add(lock_stats& total, const lock_stats& more) noexcept;

} // namespace zklock::detail

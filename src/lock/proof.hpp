#pragma once

#include <zklock/clock.hpp>

#include <atomic>
#include <chrono>

namespace zklock::detail {

/// Until when the servers cannot have ended the session; see `hold::valid_until`.
class proof {
 public:
  using time_point = boot_clock::time_point;
  using milliseconds = std::chrono::milliseconds;

  /// `interval` 0: a fifth of the session timeout.
  proof(milliseconds interval, milliseconds tick) noexcept : asked_(interval), tick_(tick) {}

  /// How often the quorum is to confirm a session with this timeout.
  milliseconds interval(milliseconds timeout) const noexcept {
    return asked_.count() != 0 ? asked_ : timeout / 5;
  }

  /// How long a confirmed write proves a session with this timeout.
  milliseconds span(milliseconds timeout) const noexcept {
    return timeout - interval(timeout) - tick_;
  }

  /// A write that was sent at that time was confirmed.
  void confirmed(time_point sent, milliseconds timeout) noexcept {
    if (sent != time_point{}) until_.store(sent + span(timeout), std::memory_order_release);
  }

  /// There is no session any more.
  void reset() noexcept { until_.store(time_point::min(), std::memory_order_release); }

  time_point until() const noexcept { return until_.load(std::memory_order_acquire); }

 private:
  const milliseconds asked_;
  const milliseconds tick_;
  std::atomic<time_point> until_{time_point::min()};
};

} // namespace zklock::detail

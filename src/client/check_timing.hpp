#pragma once

#include <algorithm>
#include <chrono>

namespace zklock::detail {

/// How often the servers must confirm a session so that the time until which it is proven always
/// lies ahead; see `hold::valid_until`.
class check_timing {
 public:
  using milliseconds = std::chrono::milliseconds;

  /// `interval` 0: as long as is safe and useful.
  check_timing(milliseconds interval, milliseconds tick) noexcept : asked_(interval), tick_(tick) {}

  /// How often the quorum is to confirm a session with this timeout.
  milliseconds interval(milliseconds timeout) const noexcept {
    if (asked_.count() != 0) return asked_;
    return std::max(std::min(timeout / 5, spare(timeout, 7)), milliseconds{1});
  }

  /// The longest interval for a session with this timeout, which leaves a tenth of the timeout for
  /// replies; not positive if no interval is short enough.
  milliseconds longest_interval(milliseconds timeout) const noexcept { return spare(timeout, 8); }

  /// Whether a session with this timeout can be proven without end.
  bool suffices(milliseconds timeout) const noexcept {
    return timeout >= 2 * tick_ && interval(timeout) <= longest_interval(timeout);
  }

  /// How long before the end of the proven time a body is cancelled.
  static milliseconds margin(milliseconds timeout) noexcept { return timeout / 10; }

 private:
  // The interval of which two, with a tick, fill so many tenths of the timeout. Each interval
  // brings two writes, which touch the session. A touch is proven by the writes of the first
  // interval that begins a tick later, and counts until the next interval has proven a newer touch:
  // the newest proven touch is up to a tick and two intervals old. A body is cancelled a tenth of
  // the timeout before the end of the proven time, and the replies need time, too.
  milliseconds spare(milliseconds timeout, int tenths) const noexcept {
    return (timeout / 10 * tenths - tick_) / 2;
  }

  milliseconds asked_;
  milliseconds tick_;
};

} // namespace zklock::detail

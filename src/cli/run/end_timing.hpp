#pragma once

#include <chrono>

namespace zklock::cli {

struct run_options;

/// When a command is ended so that no process of it is left when the lock can pass on.
///
/// The servers confirm a healthy session so often that `hold::valid_until` lies ahead by at least
/// the session timeout without a tick and two check intervals. A tenth of the session timeout is
/// for the kill itself. Another tenth is for slow replies, so that a healthy session is not ended.
class end_timing {
 public:
  using nanoseconds = std::chrono::nanoseconds;
  using milliseconds = std::chrono::milliseconds;

  /// `granted` is the session timeout. Throws `usage_error` where it does not allow the time
  /// between the signals, or the limit of the hold does not.
  end_timing(const run_options& options, milliseconds granted);

  /// From SIGTERM to SIGKILL.
  nanoseconds kill_after() const noexcept { return kill_after_; }

  /// From SIGKILL to the time at which the lock can pass on.
  nanoseconds margin() const noexcept { return margin_; }

  /// The margin before the limit of the hold.
  nanoseconds margin_of_limit() const noexcept { return margin_of_limit_; }

  /// The longest time from SIGTERM to SIGKILL that a session of this timeout allows; 0 where it
  /// allows none.
  static milliseconds longest_kill_after(milliseconds timeout, milliseconds tick) noexcept;

 private:
  nanoseconds kill_after_;
  nanoseconds margin_;
  nanoseconds margin_of_limit_;
};

} // namespace zklock::cli

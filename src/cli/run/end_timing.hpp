#pragma once

#include <chrono>

namespace zklock::cli {

struct run_options;

/// When a command is ended so that no process of it is left when the lock can pass on.
///
/// The servers confirm a session often enough that `hold::valid_until` of a healthy one always
/// lies ahead by `certain()`. A tenth of the session timeout is for the kill itself, and another
/// one for replies that are slow: a healthy session is never taken for one that is about to end.
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

  /// The same for the limit of the hold.
  nanoseconds margin_of_limit() const noexcept { return margin_of_limit_; }

  /// How often the servers must confirm a session with this timeout.
  static milliseconds check_interval(milliseconds timeout, milliseconds tick) noexcept;

 private:
  nanoseconds kill_after_;
  nanoseconds margin_;
  nanoseconds margin_of_limit_;
};

} // namespace zklock::cli

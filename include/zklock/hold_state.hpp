#pragma once

namespace zklock {

/// How sure a hold is.
enum class hold_state {
  /// There is none: never acquired, moved from, or released.
  empty,
  /// The servers cannot have given the lock to anybody else.
  held,
  /// The connection is down, or the servers have not confirmed the session for long. Until
  /// `hold::valid_until()` nobody else can have the lock; after that, somebody may.
  in_doubt,
  /// It is over, and `hold::wait_lost` says why.
  lost,
};

} // namespace zklock

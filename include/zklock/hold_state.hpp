#pragma once

namespace zklock {

/// How certain a hold is.
enum class hold_state {
  /// There is no hold: never acquired, moved from, or released.
  empty,
  /// The servers cannot have granted the lock to another holder.
  held,
  /// The connection is down, or the servers have not confirmed the session for long. Until
  /// `hold::valid_until()` no other holder can have the lock; after that, another holder may.
  in_doubt,
  /// The hold is over; `hold::wait_lost` gives the reason.
  lost,
};

} // namespace zklock

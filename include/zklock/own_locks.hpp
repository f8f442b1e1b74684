#pragma once

#include <zklock/fencing_token.hpp>
#include <zklock/found_lock.hpp>
#include <zklock/hold_state.hpp>
#include <zklock/participant.hpp>

#include <chrono>
#include <cstdint>
#include <string>

namespace zklock {

/// A lock that a client holds, as `client::holds` lists it. The holds of one owner are one.
struct held_lock {
  /// The path as it was given to the constructor of the lock.
  std::string path{};

  /// The kind of the lock.
  lock_type type = lock_type::unknown;

  /// What is held. A writer that became a reader is shared.
  participant_role role = participant_role::exclusive;

  /// The number of permits that are held together; 1 where the lock is no semaphore.
  std::uint32_t permits = 1;

  /// The full path of the entry's znode, with the chroot; of several permits the first.
  std::string node{};

  /// The fencing token.
  fencing_token token{};

  /// `hold_state::held` or `hold_state::in_doubt`.
  hold_state state = hold_state::held;

  /// When it was granted.
  std::chrono::steady_clock::time_point since{};
};

/// An acquire that waits, as `client::waits` lists it.
struct awaited_lock {
  /// The path as it was given to the constructor of the lock.
  std::string path{};

  /// The kind of the lock.
  lock_type type = lock_type::unknown;

  /// What is asked for.
  participant_role role = participant_role::exclusive;

  /// The number of permits that are asked for together; 1 where the lock is no semaphore.
  std::uint32_t permits = 1;

  /// When it was called.
  std::chrono::steady_clock::time_point since{};

  /// When its timeout is over; the clock's maximum where it has none.
  std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();
};

} // namespace zklock

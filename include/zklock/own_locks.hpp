#pragma once

#include <zklock/fencing_token.hpp>
#include <zklock/found_lock.hpp>
#include <zklock/hold_state.hpp>
#include <zklock/participant.hpp>

#include <chrono>
#include <cstdint>
#include <string>

namespace zklock {

/// A lock that a client holds, as `client::held_locks` lists it. All holds of an owner are listed
/// once.
struct held_lock {
  /// The path as it was given to the constructor of the lock.
  std::string path{};

  /// The kind of the lock.
  lock_type type = lock_type::unknown;

  /// The held role. A writer that became a reader is shared.
  participant_role role = participant_role::exclusive;

  /// The number of permits that are held together; 1 if the lock is no semaphore.
  std::uint32_t permits = 1;

  /// The full path of the entry's znode, with the chroot; of several permits the first.
  std::string node{};

  /// The fencing token.
  fencing_token token{};

  /// `hold_state::held` or `hold_state::in_doubt`.
  hold_state state = hold_state::held;

  /// When the lock was granted.
  std::chrono::steady_clock::time_point since{};
};

/// An acquire that waits, as `client::awaited_locks` lists it.
struct awaited_lock {
  /// The path as it was given to the constructor of the lock.
  std::string path{};

  /// The kind of the lock.
  lock_type type = lock_type::unknown;

  /// The requested role.
  participant_role role = participant_role::exclusive;

  /// The number of requested permits; 1 if the lock is no semaphore.
  std::uint32_t permits = 1;

  /// When the acquire was called.
  std::chrono::steady_clock::time_point since{};

  /// When the timeout of the acquire expires; the clock's maximum without a timeout.
  std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();
};

} // namespace zklock

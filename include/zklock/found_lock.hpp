#pragma once

#include <zklock/error.hpp>
#include <zklock/participant.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace zklock {

/// The kind of a lock, as the names of its znodes show it.
enum class lock_type : std::uint8_t {
  /// Unknown: the directory is empty. Its children, entries or other nodes, were deleted.
  unknown,
  /// A `mutex`, or a lock of another library with entries of this form, such as Curator's
  /// deprecated InterProcessSemaphore.
  mutex,
  /// A `shared_mutex`: an entry is named as a reader's, or as a writer's of Curator and zklock. A
  /// writer of kazoo has the name of kazoo's mutex.
  shared_mutex,
  /// A `semaphore`: the entries and the permits are in the directories `locks` and `leases`.
  semaphore,
};

/// A lock that `client::find_locks` found.
struct found_lock {
  /// The path that names the lock: relative to the chroot, as the constructors of locks take it.
  std::string path{};

  /// The kind of the lock.
  lock_type type = lock_type::unknown;

  /// The holders and the waiters, in the order of `any_lock::participants`. Of a participant that
  /// may not be read only `node`, `number`, `role` and `is_holder` are known.
  std::vector<participant> participants{};

  /// Why not all of it could be read: `errc::no_permission` or `errc::refused`. Success otherwise.
  error_code error{};
};

} // namespace zklock

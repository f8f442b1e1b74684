#pragma once

#include "queue/entry.hpp"
#include "queue/lock_policy.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace zklock {

enum class lock_type : std::uint8_t;
enum class participant_role : std::uint8_t;

} // namespace zklock

namespace zklock::detail {

class lock_line;
struct lock_request;

enum class lock_kind : std::uint8_t { exclusive, shared, semaphore };

constexpr queue::lock_policy policy_of(lock_kind kind) noexcept {
  switch (kind) {
  case lock_kind::shared:
    return queue::lock_policy::shared;
  case lock_kind::semaphore:
    return queue::lock_policy::counted;
  default:
    return queue::lock_policy::exclusive;
  }
}

/// The paths and the kind of a lock.
struct lock_definition {
  /// As given by the user.
  std::string given;
  /// Preceded by the chroot.
  std::string full;
  /// The directory of the entries.
  std::string line{};
  lock_kind kind = lock_kind::exclusive;
  /// Of a semaphore: the directory of the permits, and the limit, or the path of its node.
  std::string permits{};
  std::optional<std::uint32_t> limit{};
  std::string limit_node{};
  /// The acquisitions of its client: all lock objects that name the lock share the line.
  std::shared_ptr<lock_line> acquisitions{};

  /// Whether the lock is held by permits, in a directory of their own, and not by entries in line.
  bool has_permits() const noexcept { return kind == lock_kind::semaphore; }
};

/// Throws `system_error(errc::bad_path)` that names the path and its fault.
lock_definition make_lock_definition(std::string_view chroot, std::string_view given,
                                     lock_kind kind = lock_kind::exclusive);

/// The directory of a semaphore's permits, beside that of its entries.
std::string permits_beside(std::string_view line);

/// The type of a lock that users see.
lock_type type_of(lock_kind kind) noexcept;

/// Returns the mode that a call asks for, with 0 permits if the number of permits is invalid.
queue::lock_mode mode_of(const lock_request& wanted) noexcept;

/// The role that users see of an acquisition or an entry of the lock.
participant_role role_of(const lock_definition& lock, queue::role wants) noexcept;

/// Whether ZooKeeper accepts this as the path of a node.
bool is_node_path(std::string_view path) noexcept;

/// The longest path of a lock, in bytes.
inline constexpr std::size_t longest_path = 2000;

} // namespace zklock::detail

#pragma once

#include <cstdint>

namespace zklock::queue {

/// The result of a request, as far as the queue distinguishes results. `failed`: a transient error.
/// `undone`: rolled back with the transaction of another lock, so the request is to be sent again.
/// All further errors last until the tree or its access lists change.
enum class answer : std::uint8_t {
  ok,
  no_node,
  no_permission,
  parent_is_ephemeral,
  undone,
  failed
};

/// Whether a delete, a list or an inspection with this answer is to be retried. Servers answer only
/// creates with `parent_is_ephemeral`: as the answer to another request it says as little as any
/// other error.
constexpr bool may_succeed_later(answer result) noexcept {
  return result == answer::failed || result == answer::parent_is_ephemeral;
}

/// Why an acquisition is refused, or a hold is lost.
enum class reason : std::uint8_t {
  none,
  /// A try found the lock taken.
  busy,
  /// A try found the budget used up, or the budget is too small.
  budget_exhausted,
  no_permission,
  /// Not even the topmost directory above the lock could be created: the chroot is missing.
  no_chroot,
  parent_is_ephemeral,
  sequence_exhausted,
  /// More permits than exist, or than a transaction can take.
  too_many_permits,
  /// The node of the limit holds no valid limit.
  bad_limit,
  failed,
  /// The entry's node is gone, and this client did not delete it.
  entry_deleted,
  session_expired,
  /// The servers came back with older data, so the session was ended.
  data_rolled_back,
};

/// The reason for refusing an acquisition after this answer to a request of its own.
constexpr reason to_reason(answer result) noexcept {
  switch (result) {
  case answer::no_permission:
    return reason::no_permission;
  case answer::parent_is_ephemeral:
    return reason::parent_is_ephemeral;
  case answer::no_node:
    return reason::no_chroot;
  case answer::ok:
  case answer::undone:
    return reason::none;
  default:
    return reason::failed;
  }
}

} // namespace zklock::queue

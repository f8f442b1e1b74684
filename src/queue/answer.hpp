#pragma once

#include <cstdint>

namespace zklock::queue {

/// What became of a request, as far as the queue needs to tell. `failed`: for a reason that may
/// pass. `undone`: nothing was done for the sake of another lock, and the request is to be made
/// again. The others stay until the tree or its access lists change.
enum class answer : std::uint8_t {
  ok,
  no_node,
  no_permission,
  parent_is_ephemeral,
  undone,
  failed
};

/// Whether a delete that is answered so is to be sent again. That a parent is ephemeral servers say
/// of a node to create only.
constexpr bool may_be_deleted_later(answer result) noexcept {
  return result == answer::failed || result == answer::parent_is_ephemeral;
}

/// Why an acquisition will never hold, or no longer does.
enum class reason : std::uint8_t {
  none,
  /// A try found the lock taken.
  busy,
  /// A try found the budget used up, or the budget is too small.
  budget_exhausted,
  no_permission,
  /// Not even the topmost of the directories above the lock could be made: the chroot is missing.
  no_chroot,
  parent_is_ephemeral,
  sequence_exhausted,
  /// More permits than there are, or than can be taken at once.
  too_many_permits,
  /// What is in the node that tells the limit is no limit.
  bad_limit,
  failed,
  /// The entry's node is gone, and this client did not delete it.
  entry_deleted,
  session_expired,
  /// The servers have come back with older data, and the session was ended.
  data_rolled_back,
};

/// Why an acquisition is refused after such an answer to a request of its own.
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

#pragma once

#include "queue/entry_name.hpp"
#include "queue/replacement.hpp"
#include "support/recycled_memory.hpp"

#include <cstdint>
#include <memory>
#include <string>

namespace zklock::queue {

/// Identifies acquisitions that the queue does not tell apart. Ids rise: their order is the order
/// of the acquisitions.
using demand_id = std::uint64_t;

/// The data that an acquisition wants its node to have; null for the client's identity.
using identity_pointer = std::shared_ptr<const std::string>;

/// The mode of an acquisition.
struct lock_mode {
  role wants = role::exclusive;
  std::uint32_t permits = 1;
  /// Whether the acquisition has brought its room: the room for its nodes is reserved already.
  bool has_room = false;
  identity_pointer identity{};

  friend bool operator==(const lock_mode&, const lock_mode&) = default;
};

/// Acquisitions with equal modes.
struct demand {
  demand_id id = 0;
  lock_mode asked{};
};

/// The form of a node of an entry, as its name shows: in line with a role, or a permit.
struct form {
  role wants = role::exclusive;
  bool is_permit = false;

  friend bool operator==(form, form) = default;
};

/// A place of ours in line: a node in the lock's directory.
///
/// Invariant: the state and the replacement together tell which nodes of the entry exist. The
/// replacement is `none` except in the states that mention it.
struct entry {
  enum class state : std::uint8_t {
    /// The create is in flight.
    creating,
    /// The create was in flight when the connection was lost: the next list tells its outcome.
    unconfirmed,
    /// As `creating` or `unconfirmed`, but no acquisition needs the entry: it is deleted once its
    /// number is known.
    abandoned,
    /// A list has shown the node, or the permits that replaced it, and the servers are asked
    /// whether it exists.
    inspecting,
    /// In line.
    queued,
    /// In line and free to hold, for the next acquisition with the role of the entry.
    cached,
    /// Assigned, and not granted yet: permits are replacing the entry, or have replaced it.
    granting,
    /// Permits are replacing the entry, but its acquisition has given up: the entry or its permits
    /// are deleted once it is known which of them exist.
    releasing,
    /// The lock is held by the entry, or by the permits that replaced it. A reader's node may be
    /// replacing the writer's node of the entry.
    held,
    /// The entry, or the permits that replaced it, are to be deleted. During a downgrade the delete
    /// waits until it is known whether the writer's or the reader's node exists.
    removing,
    /// To be deleted; the servers have refused the delete for a transient reason.
    refused,
  };

  enum class plan : std::uint8_t {
    none,
    /// The predecessors are watched.
    made,
    /// Most watched predecessors are gone: a list is to show which predecessors are left.
    verifying,
  };

  /// The knowledge of the data of the entry's node.
  enum class node_data : std::uint8_t {
    unwatched,
    /// The watch is being armed.
    arming,
    /// The data is as created, and a watch tells when another client changes it.
    watched,
    /// The data was changed, or may have been: by another client, as a rule to request the release,
    /// or by this client, with another identity.
    changed,
  };

  entry_id id = 0;
  role wants = role::exclusive;
  state is = state::creating;
  node_data data = node_data::unwatched;
  plan ahead = plan::none;
  replacement replaced{};
  /// Other clients deleted an entry ahead of this entry while permits were replacing it: the
  /// permits are deleted.
  bool removes_permits = false;
  /// The demand of the acquisition that the entry is reserved for until it holds; 0 for none. Set
  /// for a try, from the create on; for an acquisition that has brought its room, and so passed
  /// waiting acquisitions; and for an acquisition that takes permits.
  demand_id assigned = 0;
  /// The mode of the assigned acquisition.
  lock_mode asked{};
  bool tries = false;
  /// Whether an acquisition holds by the entry, or has released it and waits for its end.
  bool has_holder = false;
  /// How many more lists a try waits for.
  std::uint8_t patience = 0;
  /// The number of the current or next grant of the entry, from 0.
  std::uint32_t turn = 0;
  /// How many hand-overs there were since it was last known that no other client waits.
  std::uint32_t handoffs = 0;
  /// Not negative if the entry is in line; -1 before the number is known.
  sequence number = -1;
  std::int64_t czxid = 0;
  /// The place of the create in the order of all creates and lists.
  std::uint64_t sent = 0;
  /// The newest demand when the create was sent.
  demand_id newest = 0;
  /// The newest list that showed the entry.
  std::uint64_t seen = 0;
  /// The data of the node, or the data that the client is writing into the node. An entry with an
  /// identity of its own is granted once.
  identity_pointer identity{};
  /// Of `entry_groups`: the group of the entry.
  std::uint8_t group = 0;

  /// Whether the entry is in line, or on its way there, for no particular acquisition.
  bool is_unassigned() const noexcept { return assigned == 0 && waits(); }

  /// Whether the entry is in line, or on its way there, for its assigned acquisition.
  bool is_own() const noexcept { return assigned != 0 && waits(); }
  bool is_try() const noexcept { return tries && is_own(); }

  /// How many permits have replaced the entry, or are replacing it.
  std::uint32_t permits() const noexcept { return replaced.permits(); }

  /// Whether permits are replacing the entry.
  bool is_replacing() const noexcept { return replaced.is_open() && permits() != 0; }

  /// Whether a reader's node is replacing the writer's node of the entry.
  bool is_downgrading() const noexcept { return replaced.is_open() && permits() == 0; }

  /// Whether another client has requested the release, or the data has changed otherwise, so that
  /// the entry is not granted again.
  bool is_requested() const noexcept { return data == node_data::changed; }

  /// Whether the entry may be granted again after its release.
  bool may_be_reused() const noexcept { return !is_requested() && !identity; }

  /// A reader's node has replaced the writer's node: a watch on the data went with the writer's
  /// node.
  void become_reader() noexcept {
    wants = role::shared;
    if (!is_requested()) data = node_data::unwatched;
  }

  bool is_leaving() const noexcept { return is == state::removing || is == state::refused; }

  form node() const noexcept {
    return {.wants = wants, .is_permit = permits() != 0 && replaced.is_done()};
  }

  /// Whether the entry is in line, or on its way there, and does not hold yet.
  bool waits() const noexcept {
    return is == state::creating || is == state::unconfirmed || is == state::queued ||
           is == state::cached || (is == state::inspecting && permits() == 0);
  }
};

using entry_map = detail::recycling_map<entry_id, entry>;

} // namespace zklock::queue

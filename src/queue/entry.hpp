#pragma once

#include "queue/entry_name.hpp"
#include "queue/replacement.hpp"

#include <cstdint>
#include <map>
#include <memory_resource>

namespace zklock::queue {

/// Names a number of acquisitions that the queue does not tell apart; rises with each, so it is
/// also the order of the acquisitions.
using demand_id = std::uint64_t;

/// What an acquisition asks for.
struct lock_mode {
  role wants = role::exclusive;
  std::uint32_t permits = 1;
  /// Whether the acquisition brings the room for its nodes along.
  bool has_room = false;

  friend bool operator==(const lock_mode&, const lock_mode&) = default;
};

/// The mode of the acquisitions of a demand.
struct demand {
  demand_id id = 0;
  lock_mode asked{};
};

/// The form of a node of an entry, as its name says: in line with a role, or a permit.
struct form {
  role wants = role::exclusive;
  bool is_permit = false;

  friend bool operator==(form, form) = default;
};

/// A node of ours in the lock's directory: a place in line.
///
/// The state and the replacement of an entry together say which of its nodes exist. The replacement
/// is `none` except in the states that name it.
struct entry {
  enum class state : std::uint8_t {
    /// The create is in flight.
    creating,
    /// The create was in flight when the connection was lost: the next list tells its outcome.
    unconfirmed,
    /// As one of the two states before, and no acquisition needs the entry: it is deleted once its
    /// number is known.
    abandoned,
    /// The node, or the permits that replaced it, were found in a list: the servers are asked about
    /// them.
    inspecting,
    /// In line.
    queued,
    /// In line, and may hold: for the next acquisition with the role of the entry.
    cached,
    /// Assigned, and not granted yet: permits are replacing the entry, or have replaced it.
    granting,
    /// Permits are replacing the entry, and its acquisition has given up meanwhile: the entry, or
    /// its
    /// permits, are deleted once it is known which of them exist.
    releasing,
    /// The lock is held by the entry, or by the permits that replaced it. A reader's node may be
    /// replacing the writer's node of the entry.
    held,
    /// The entry, or the permits that replaced it, are to be deleted. If a reader's node may be
    /// replacing the writer's node, it must be known first which of the two exists.
    removing,
    /// To be deleted, and the servers have refused the delete for a reason that may pass.
    refused,
  };

  enum class plan : std::uint8_t {
    none,
    /// The predecessors are watched.
    made,
    /// Most of the watched predecessors are gone: a list is to tell which predecessors are left.
    verifying,
  };

  /// What is known of the data of the entry's node.
  enum class node_data : std::uint8_t {
    unwatched,
    /// The watch is asked for.
    asked,
    /// The data is as it was created, and a watch tells when another client changes it.
    watched,
    /// Another client has changed the data, as a rule to request the release; or may have.
    changed,
  };

  entry_id id = 0;
  role wants = role::exclusive;
  state is = state::creating;
  node_data data = node_data::unwatched;
  plan ahead = plan::none;
  replacement replaced{};
  /// An entry before this one turned out to have been deleted by other clients while permits were
  /// replacing this entry: the permits are deleted.
  bool removes_permits = false;
  /// The demand of the acquisition that the entry is assigned to until it holds: of a try from the
  /// create on, of an acquisition that passed others since it has brought its room along, and of an
  /// acquisition that takes permits. 0 for none.
  demand_id assigned = 0;
  /// The mode of this acquisition.
  lock_mode asked{};
  bool tries = false;
  /// Whether an acquisition holds by the entry, or has released it and waits for its end.
  bool has_holder = false;
  /// How many more lists the acquisition waits for that tries.
  std::uint8_t patience = 0;
  /// How often the entry was granted to a further acquisition.
  std::uint32_t turn = 0;
  /// How often it was granted so while another client may have waited.
  std::uint32_t handoffs = 0;
  /// Not negative if the entry is in line; -1 before the number is known.
  sequence number = -1;
  std::int64_t czxid = 0;
  /// When the create was sent, in the order of all creates and lists.
  std::uint64_t sent = 0;
  /// The newest demand at that time.
  demand_id newest = 0;
  /// The newest list that showed the entry.
  std::uint64_t seen = 0;
  /// Of `entry_groups`: the group of the entry.
  std::uint8_t group = 0;

  /// Whether the entry is in line, or on its way there, for the first acquisition that waits.
  bool is_unassigned() const noexcept { return assigned == 0 && waits(); }

  /// Whether the entry is in line, or on its way there, for a certain acquisition.
  bool is_own() const noexcept { return assigned != 0 && waits(); }
  bool is_try() const noexcept { return tries && is_own(); }

  /// How many permits have replaced the entry, or are replacing it.
  std::uint32_t permits() const noexcept { return replaced.permits(); }

  /// Whether permits are replacing the entry.
  bool is_replacing() const noexcept { return replaced.is_open() && permits() != 0; }

  /// Whether a reader's node is replacing the writer's node of the entry.
  bool is_downgrading() const noexcept { return replaced.is_open() && permits() == 0; }

  /// Whether another client has requested the release: the entry is granted no more.
  bool is_requested() const noexcept { return data == node_data::changed; }

  /// A reader's node, with data of its own, has replaced the writer's node.
  void become_reader() noexcept {
    wants = role::shared;
    if (!is_requested()) data = node_data::unwatched;
  }

  bool is_leaving() const noexcept { return is == state::removing || is == state::refused; }

  form node() const noexcept {
    return {.wants = wants, .is_permit = permits() != 0 && replaced.is_done()};
  }

  /// Whether the entry is in line, or on its way there, and its turn has not come.
  bool waits() const noexcept {
    return is == state::creating || is == state::unconfirmed || is == state::queued ||
           is == state::cached || (is == state::inspecting && permits() == 0);
  }
};

using entry_map = std::pmr::map<entry_id, entry>;

} // namespace zklock::queue

#pragma once

#include "queue/entry_name.hpp"
#include "queue/replacement.hpp"

#include <cstdint>
#include <map>
#include <memory_resource>

namespace zklock::queue {

/// Names one call of acquire; rises with each, so it is also the order of those that wait.
using acquisition_id = std::uint64_t;

/// What an acquisition asks for.
struct lock_mode {
  role wants = role::exclusive;
  std::uint32_t permits = 1;
  /// Whether the acquisition brings the room for its nodes along.
  bool has_room = false;

  /// Gives all of it to `to`.
  template <state_writer Writer>
  void describe(Writer& to) const {
    to.value(wants);
    to.value(permits);
    to.value(has_room);
  }
};

/// An acquisition that waits, and what it asks for.
struct waiting_acquisition {
  acquisition_id id = 0;
  lock_mode asked{};
};

/// What a node of an entry is, as its name says: one that is in line, or a permit.
struct form {
  role wants = role::exclusive;
  bool is_permit = false;

  friend bool operator==(form, form) = default;
};

/// A node of ours in the lock's directory: a place in line. While it waits it is for no certain
/// acquisition, unless it is a try's: when it is its turn, the first that waits here is assigned.
///
/// Its state and its replacement say together which of its nodes exist. The replacement is `none`
/// except in the states that name it.
struct entry {
  enum class state : std::uint8_t {
    /// The create is in flight.
    creating,
    /// The create was in flight when the connection was lost: the next list tells its outcome.
    unconfirmed,
    /// The same as one of these two, and no acquisition needs it: it is deleted once its number is
    /// known.
    abandoned,
    /// Found in a list, and its data is asked for; or its permits are, where it was replaced.
    inspecting,
    /// In line.
    queued,
    /// In line, and may hold: kept for the next acquisition that asks for the same.
    cached,
    /// Assigned, and not granted yet: permits replace it, or have replaced it.
    granting,
    /// The same, while permits replace it, and given back meanwhile: deleted once it is known
    /// which nodes exist.
    releasing,
    /// The lock is held by it, or by the permits that replaced it. The node of a reader may be
    /// replacing it.
    held,
    /// To be deleted, or the permits that replaced it. Where the node of a reader may be replacing
    /// it, it must be known first which of the two exists.
    removing,
    /// The same, and the servers would not delete it just now: that is tried again.
    refused,
  };

  enum class plan : std::uint8_t {
    none,
    /// Those before it are watched.
    made,
    /// Most of those watched are gone: a list is to tell which are left.
    verifying,
  };

  /// What is known of the data of its node.
  enum class node_data : std::uint8_t {
    unwatched,
    /// The watch is asked for.
    asked,
    /// It is as it was created, and a watch tells when another client changes it.
    watched,
    /// Another client has changed it: to ask for the release, as a rule. Or that is not known.
    changed,
  };

  entry_id id;
  role wants;
  state is = state::creating;
  node_data data = node_data::unwatched;
  plan ahead = plan::none;
  /// For how many nodes it has room in the budget: from the create on for all permits that are to
  /// replace it.
  std::uint32_t room = 1;
  replacement replaced{};
  /// While permits replace it: one before it turned out to have been deleted by others. What is
  /// taken is given back.
  bool gives_back = false;
  /// The acquisition that it is assigned to: one that tries, from the create on; one that waits,
  /// when it is its turn. It ends when the released entry is gone. 0 for none.
  acquisition_id acquisition = 0;
  /// How many more lists one that tries waits for.
  std::uint8_t patience = 0;
  /// How often it was granted to another acquisition.
  std::uint32_t turn = 0;
  /// How often of these while another client may have waited.
  std::uint32_t handoffs = 0;
  /// Not negative where it is in line; -1 before it is known.
  sequence number = -1;
  std::int64_t czxid = 0;
  /// When its create was sent, in the order of all creates and lists.
  std::uint64_t sent = 0;
  /// The newest acquisition at that time.
  acquisition_id newest = 0;
  /// The newest list that showed it.
  std::uint64_t seen = 0;
  /// Of `line`: in which of its groups the entry is.
  std::uint8_t group = 0;

  /// Whether it is in line, or on its way there, for the first acquisition that waits.
  bool is_unassigned() const noexcept { return acquisition == 0 && waits(); }

  /// Whether it is in line, or on its way there, for an acquisition that tries.
  bool is_try() const noexcept { return acquisition != 0 && waits(); }

  /// How many permits replaced it, or are to.
  std::uint32_t permits() const noexcept { return replaced.permits(); }

  /// Whether permits are replacing it.
  bool is_replacing() const noexcept { return replaced.is_open() && permits() != 0; }

  /// Whether the node of a reader is replacing it.
  bool is_downgrading() const noexcept { return replaced.is_open() && permits() == 0; }

  /// Whether another client has asked for its release: it is granted no more.
  bool is_requested() const noexcept { return data == node_data::changed; }

  /// The node of a reader has replaced its own, with data of its own.
  void become_reader() noexcept {
    wants = role::shared;
    if (!is_requested()) data = node_data::unwatched;
  }

  bool is_leaving() const noexcept { return is == state::removing || is == state::refused; }

  form node() const noexcept {
    return {.wants = wants, .is_permit = permits() != 0 && replaced.is_done()};
  }

  /// Whether it is in line, or on its way there, and its turn has not come.
  bool waits() const noexcept {
    return is == state::creating || is == state::unconfirmed || is == state::queued ||
           is == state::cached || (is == state::inspecting && permits() == 0);
  }

  /// Gives all of it to `to`.
  template <state_writer Writer>
  void describe(Writer& to) const {
    to.entry(id);
    to.value(wants);
    to.value(is);
    to.value(data);
    to.value(ahead);
    to.value(room);
    replaced.describe(to);
    to.value(gives_back);
    to.acquisition(acquisition);
    to.value(patience);
    to.value(turn);
    to.value(handoffs);
    to.value(number >= 0);
    if (number >= 0) to.number(number);
    to.zxid(czxid);
    to.order(sent);
    to.up_to(is == state::creating || is == state::unconfirmed ? newest : 0);
    to.order(seen);
  }
};

using entry_map = std::pmr::map<entry_id, entry>;

} // namespace zklock::queue

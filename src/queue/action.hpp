#pragma once

#include "queue/answer.hpp"
#include "queue/entry.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace zklock::queue {

/// An entry of ours in line, and what its name is made of.
struct named_entry {
  entry_id entry = 0;
  role wants = role::exclusive;
  sequence number = 0;
};

/// What the queue wants done. Requests are to be sent in the order in which they are given.
struct action {
  enum class kind : std::uint8_t {
    // Requests; each is answered by the event of the queue that is named here.

    /// Create the lock's directory; it may exist. Its answer does not matter: the create that
    /// follows tells.
    make_directory,
    /// Create the lock's directory and what is missing above it: `directory_made`.
    make_parents,
    /// Create the node of `entry`: `created`.
    create,
    /// List the directory: `listed`.
    list,
    /// List the directory, behind a write that the quorum has confirmed on this connection; any
    /// write, of any lock: `listed`.
    sync_and_list,
    /// List the directory, and watch the list: `children_listed`, and `children_changed` when the
    /// watch fires.
    list_and_watch,
    /// Delete the node of `entry`, whose number is `number`, in one transaction with a check that
    /// the nodes `checks` exist: `removed`. Where one of these does not exist: `missing`, and the
    /// same without it.
    remove,
    /// Delete the node `name`, which belongs to no entry of ours that is known: `orphan_removed`.
    remove_orphan,
    /// Replace the node of `entry`, whose number is `number`, by one that says that it reads, in
    /// one transaction: `downgraded`.
    downgrade,
    /// Replace the node of `entry`, whose number is `number`, by so many `permits`, in one
    /// transaction: `taken`.
    take,
    /// Delete the `permits` of `entry`: `removed` when all are gone.
    remove_permits,
    /// Delete the permit `name`, which belongs to no entry of ours that is known: `orphan_removed`.
    remove_orphan_permit,
    /// List the permits that are taken, and watch the list: `permits_listed`, and
    /// `permits_changed` when the watch fires.
    list_permits,
    /// Ask whether the first of the permits of `entry` exists: `inspected`.
    inspect_permit,
    /// Ask for the limit, and watch it: `limited`, and `limit_changed` when the watch fires.
    ask_limit,
    /// Ask whether the node of `entry`, whose number is `number`, exists: `inspected`.
    inspect,
    /// Watch the node `name`, whose number is `number`: `watched`, and `entry_changed` when the
    /// watch fires.
    watch,
    /// Watch the data of the node of `entry`, whose number is `number`: `data_watched`, and
    /// `entry_changed` when the watch fires.
    watch_data,
    /// Watch the directory: `directory_watched`, and `directory_changed` when the watch fires.
    watch_directory,
    /// Let the quorum confirm that the session lives, and that the node of `entry` exists:
    /// `confirmed`, preceded by `missing` where it does not.
    confirm,
    /// Let the quorum check that the nodes `checks` exist: `missing` for each that does not.
    check,

    // Notifications.

    /// The first acquisition of `demand` holds the lock now, by `entry`, `number`, `czxid`, `turn`
    /// and `permits`.
    grant,
    /// An acquisition of `demand` will not hold, for `why`.
    refuse,
    /// The holder of `entry` is a reader from now on; where `why` is not `none` it is still a
    /// writer.
    downgraded,
    /// The hold by `entry` has ended before its release, for `why`.
    lose,
    /// The released `entry` is deleted, or belongs to other acquisitions. If `why` is not `none`,
    /// the servers have refused to delete its node, which stays until the session ends.
    forget,
  };

  kind what;
  reason why = reason::none;
  /// What `entry` wants; its name says so.
  role wants = role::exclusive;
  entry_id entry = 0;
  demand_id demand = 0;
  sequence number = 0;
  std::int64_t czxid = 0;
  std::uint32_t turn = 0;
  std::uint32_t permits = 0;
  std::string name{};
  std::vector<named_entry> checks{};
};

/// What surrounds an event: what must be known to treat it, and where its actions go.
struct event_context {
  /// Whether the servers cannot have ended the session yet. Nothing is granted without.
  bool proven = false;
  /// The newest entry in any directory of the session: entries are numbered across all of them.
  entry_id& last_entry;
  std::vector<action>& actions;
};

} // namespace zklock::queue

#pragma once

#include "queue/answer.hpp"
#include "queue/entry.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace zklock::queue {

/// An entry of ours in line, with the parts of its name.
struct named_entry {
  entry_id entry = 0;
  role wants = role::exclusive;
  sequence number = 0;
};

/// A request to the servers, or a notification of the callers. Requests are to be sent in the order
/// in which the queue emits them.
struct action {
  enum class kind : std::uint8_t {
    // Requests. Each names the event of `server_events` that answers it.

    /// Create the lock's directory, which may exist. The answer is ignored: the create that follows
    /// shows whether the directory exists.
    make_directory,
    /// Create the lock's directory and all missing directories above it: `directory_made`.
    make_parents,
    /// Create the node of `entry`: `created`.
    create,
    /// List the directory: `listed`.
    list,
    /// List the directory, behind a write of any lock that the quorum has committed on this
    /// connection: `listed`.
    sync_and_list,
    /// List the directory and watch its children: `children_listed`, and `children_changed` when
    /// the watch fires.
    list_and_watch,
    /// Delete the node of `entry`, numbered `number`, in a transaction that checks that the nodes
    /// of `checks` exist: `removed`. A failed check is reported by `missing`, and the delete is
    /// sent again without this check.
    remove,
    /// Delete the node `name`, which belongs to no known entry of ours: `orphan_removed`.
    remove_orphan,
    /// Replace the node of `entry`, numbered `number`, by a reader's node, in a transaction:
    /// `downgraded`.
    downgrade,
    /// Replace the node of `entry`, numbered `number`, by its `permits`, in a transaction: `taken`.
    take,
    /// Delete the `permits` of `entry`: `removed` once all are deleted.
    remove_permits,
    /// Delete the permit `name`, which belongs to no known entry of ours: `orphan_removed`.
    remove_orphan_permit,
    /// List the taken permits and watch the list: `permits_listed`, and `permits_changed` when the
    /// watch fires.
    list_permits,
    /// Ask whether the first permit of `entry` exists: `inspected`.
    inspect_permit,
    /// Read the limit and watch it: `limited`, and `limit_changed` when the watch fires.
    ask_limit,
    /// Ask whether the node of `entry`, numbered `number`, exists: `inspected`.
    inspect,
    /// Watch the node `name`, numbered `number`: `watched`, and `entry_changed` when the watch
    /// fires.
    watch,
    /// Watch the data of the node of `entry`, numbered `number`: `data_watched`, and
    /// `entry_changed` when the watch fires.
    watch_data,
    /// Watch the directory: `directory_watched`, and `directory_changed` when the watch fires.
    watch_directory,
    /// Let the quorum confirm that the session lives and that the node of `entry` exists:
    /// `confirmed`, after `missing` if the node does not exist.
    confirm,
    /// Let the quorum check that the nodes of `checks` exist: `missing` for each node that does
    /// not.
    check,

    // Notifications.

    /// The first acquisition of `demand` holds the lock, by `entry`, `number`, `czxid`, `turn` and
    /// `permits`. `is_misnamed`: the node of the entry has the data of another acquisition.
    grant,
    /// An acquisition of `demand` is refused for `why`.
    refuse,
    /// The holder of `entry` is a reader from now on; if `why` is not `none`, the holder is still a
    /// writer.
    downgraded,
    /// The hold by `entry` has ended before its release, for `why`.
    lose,
    /// The released `entry` is deleted, cached or handed over. If `why` is not `none`, the servers
    /// have refused to delete its node, which stays until the session ends.
    forget,
  };

  kind what;
  reason why = reason::none;
  /// The role of `entry`, which is part of its name.
  role wants = role::exclusive;
  entry_id entry = 0;
  demand_id demand = 0;
  sequence number = 0;
  std::int64_t czxid = 0;
  std::uint32_t turn = 0;
  std::uint32_t permits = 0;
  bool is_misnamed = false;
  /// The data of the node that the request creates.
  identity_pointer identity{};
  std::string name{};
  std::vector<named_entry> checks{};
};

/// The context of an event: the state that it depends on, and the actions that it emits.
struct event_context {
  /// Whether the servers cannot have ended the session yet. Nothing is granted without this proof.
  bool proven = false;
  /// The newest entry of the session: entries are numbered across all directories.
  entry_id& last_entry;
  std::vector<action>& actions;
};

} // namespace zklock::queue

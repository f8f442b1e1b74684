#pragma once

#include "queue/orphans.hpp"
#include "queue/own_entries.hpp"
#include "queue/scheduler.hpp"

#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace zklock::queue {

/// The queue of one lock as one client sees it: which of its acquisitions wait and which hold, and
/// which entries of other clients are before them. A pure state machine: events go in, actions come
/// out; it knows no network and no clock.
///
/// Acquisitions are what callers make, entries are nodes in line. They are matched when an entry's
/// turn has come, first come first served: where an entry is lost the newest acquisition is
/// requeued.
///
/// It is fast because of what it remembers. An entry whose number follows what is known of the line
/// needs no list, and one whose predecessors are all known to be gone holds the lock without any
/// request.
///
/// Invariant: while there is a connection, and no list of a recovery is awaited, `scheduler` has
/// done all that follows from the events so far.
class lock_queue {
 public:
  /// The budget and the memory must live as long as the queue. Entries come and go with every
  /// acquire: memory that is used again is worth having.
  lock_queue(const settings& settings, node_budget& budget,
             std::pmr::memory_resource* memory = std::pmr::get_default_resource());

  /// Its parts know each other.
  lock_queue(const lock_queue&) = delete;
  lock_queue& operator=(const lock_queue&) = delete;

  // What the callers want.

  /// Gets in line. `trying`: hold at once or not at all. Ids must rise from call to call: they are
  /// the order in which those that wait here hold.
  void acquire(event_context& context, acquisition_id id, lock_mode asked, bool trying);

  /// Gives back a lock that is held, or gives up waiting. Ends with `forget`. Unknown ids are
  /// ignored: the acquisition has ended already.
  ///
  /// What is granted at once is granted by entries that were not looked at since they got in line.
  /// Whether they still exist is checked in the transaction that deletes the one given back.
  ///
  /// `may_keep`: where the cache is on, the entry may be kept for the next acquisition. It is given
  /// back all the same: `forget` comes at once.
  void release(event_context& context, acquisition_id id, bool may_keep = true);

  /// Gives back the entries that are kept and not in use.
  void drop_cached(event_context& context);

  /// Makes a reader of a writer that holds. Ends with `downgraded`, or with `lose`; with neither
  /// where it does not hold to write. Called once for an acquisition.
  void downgrade(event_context& context, acquisition_id id);

  /// Has the session confirmed, and the node of an acquisition that holds. Ends with `confirmed`;
  /// with nothing where there is no connection, or it does not hold.
  void prove(event_context& context, acquisition_id id);

  /// Sends again what the servers refused for a reason that may pass, where there is anything:
  /// `has_refused` tells. To be called some time after that, not at once.
  void try_again(event_context& context);

  /// Tries again to create the entries for which there was no room.
  void refill(event_context& context);

  /// Deletes a cached entry, or an entry that waits behind other entries of ours; its acquisition
  /// is requeued when there is room. Returns whether room comes back to the budget.
  bool drop_surplus(event_context& context);

  /// Called after each event: returns the room that nothing needs any more to the budget.
  void return_room() noexcept { entries_.return_room(); }

  // The fast path: the lock's line grants an entry to one acquisition after the other, without the
  // queue, until the next event. Between `hand_out` and `granted_outside` there is no event.

  /// Returns the entry that the line may grant while no other client wants the lock: a cached
  /// entry, or the entry that is held by its `acquisition`. Null where there is none.
  const entry* grantable_outside() const noexcept;

  /// Forgets the acquisition that holds the entry, if there is one: for the queue, the entry is
  /// cached. Acquisitions that wait go on waiting.
  void hand_out(entry_id granted);

  /// The line has granted a cached entry, so that `next_turn` is the next turn. `holder` holds the
  /// entry with the last turn, as if the queue had granted it; 0 where the entry is free. `gone` do
  /// not wait any more: the entries that were created for them stay for acquisitions that come
  /// later. `added` wait from now on, in this order.
  void granted_outside(entry_id by, std::uint32_t next_turn, acquisition_id holder,
                       std::span<const acquisition_id> gone,
                       std::span<const waiting_acquisition> added);

  // What happens to the session.

  /// Connected, for the first time, again, or with a new session: then after `expired`.
  void connected(event_context& context, session_token token);

  /// Requests in flight will never be answered.
  void disconnected();

  /// The session has ended and its nodes with it. Comes after `disconnected`.
  void expired(event_context& context, reason why);

  // Answers to requests.

  void directory_made(event_context& context, answer result);
  void created(event_context& context, entry_id id, answer result, sequence number,
               std::int64_t czxid);
  /// `children_ever`: how many children the directory ever had.
  void listed(event_context& context, answer result, std::span<const std::string_view> names,
              std::int64_t children_ever);
  /// The same, of `list_and_watch`.
  void children_listed(event_context& context, answer result,
                       std::span<const std::string_view> names, std::int64_t children_ever);
  void removed(event_context& context, entry_id id, answer result);
  /// The name is that of `remove_orphan` or `remove_orphan_permit`.
  void orphan_removed(event_context& context, std::string_view name, answer result);
  void inspected(event_context& context, entry_id id, answer result, std::int64_t czxid);
  void watched(event_context& context, std::string_view name, answer result);
  void directory_watched(event_context& context, answer result);
  /// `changed`: another client has changed the data since the node was created.
  void data_watched(event_context& context, entry_id id, answer result, bool changed);
  void downgraded(event_context& context, entry_id id, answer result);
  /// `no_entry`: it failed because the entry's node does not exist.
  void taken(event_context& context, entry_id id, answer result, bool no_entry, std::int64_t czxid);
  void permits_listed(event_context& context, answer result,
                      std::span<const std::string_view> names);
  /// No value: what the node holds is no limit.
  void limited(event_context& context, answer result, std::optional<std::uint32_t> value);

  /// The session is proven again, as asked for by `confirm`.
  void confirmed(event_context& context);

  // What others did.

  /// A watch set by `watch` or `watch_data` fired, or the data of a node of ours is known to be
  /// changed.
  void entry_changed(event_context& context, std::string_view name, bool deleted);

  /// The watch set by `watch_directory` fired.
  void directory_changed(event_context& context, bool deleted);

  /// The watch set by `list_and_watch` fired.
  void children_changed(event_context& context);

  /// The node of an entry of ours, or one of its permits, does not exist. An entry whose node has
  /// another form meanwhile is none the worse for that.
  void missing(event_context& context, entry_id id, form node);

  /// The watch set by `list_permits` fired.
  void permits_changed(event_context& context);

  /// The watch set by `ask_limit` fired.
  void limit_changed(event_context& context);

  // What there is to see.

  /// Whether no acquisition waits or holds, and nothing is to be deleted.
  bool empty() const noexcept;

  /// How many entries are kept for the next acquisition.
  std::size_t cached() const noexcept { return entries_.count_cached(); }

  /// Whether any entry wants this.
  bool is_any(role wants) const noexcept { return entries_.is_any(wants); }

  /// How often an entry is granted at most.
  std::uint32_t most_turns() const noexcept { return settings_.most_turns; }

  /// How often another client wanted a lock that was worth keeping.
  std::uint32_t cache_conflicts() const noexcept { return cache_.conflicts(); }

  /// Whether nodes of ours may be there, or appear, that no entry is known for. A queue that
  /// replaces this queue in the session must expect such nodes.
  bool has_late_writes() const noexcept { return has_late_writes_; }
  void expect_late_writes() noexcept { has_late_writes_ = true; }

  /// Whether a node of ours belongs to an entry, is to be deleted, or may be such a late write.
  bool accounts_for(entry_id id, form node, std::string_view name) const noexcept;

  /// Whether the servers refused to delete something, or to list what is to be deleted, for a
  /// reason that may pass.
  bool has_refused() const noexcept { return refused_; }

  /// Whether the first in line waits for permits.
  bool lacks_permits() const noexcept { return scheduler_.lacks_permits(); }

  /// Whether the queue waits for the budget.
  bool starved() const noexcept { return scheduler_.starved(); }

  /// The need of the queue for room.
  room_need needs_room() const noexcept { return scheduler_.needs_room(); }

  /// Whether `drop_surplus` may be worth a call.
  bool has_surplus() const noexcept { return scheduler_.has_surplus(); }

  /// Whether so many permits fit into the budget at all.
  bool fits_budget(std::uint32_t permits) const noexcept {
    return settings_.entry_bytes * permits <= budget_.total();
  }

  /// All entries.
  const entry_map& entries() const noexcept { return entries_.all(); }

  /// The entries that have a node in line: held or waiting.
  const line::own_entries& own() const noexcept { return line_.own(); }

  /// Whether what an acquisition waits for is its turn, or room: an entry of ours is in line, its
  /// own or one before it. Otherwise the servers have confirmed nothing yet.
  bool in_line(acquisition_id id) const noexcept;

  /// How many stand before an acquisition that waits; nothing where that is not known, or it does
  /// not wait.
  std::optional<std::size_t> count_ahead(acquisition_id id) const noexcept;

  /// Gives the whole state to `to`, but for the token and what is left of the budget.
  template <state_writer Writer>
  void describe(Writer& to) const {
    line_.describe(to);
    waiters_.describe(to);
    permits_.describe(to);
    cache_.describe(to);
    orphans_.describe(to);
    entries_.describe(to);
    scheduler_.describe(to);
    to.value(refused_);
    to.value(relist_);
    to.value(has_late_writes_);
  }

 private:
  void found(entry& e, std::int64_t czxid);
  bool own_changed(event_context& context, std::string_view name, bool deleted);
  void request_release(event_context& context, entry& e);
  void give_up(event_context& context, acquisition_id id);
  void give_back(event_context& context, acquisition_id id, bool may_keep);
  bool try_by_cached(event_context& context, acquisition_id id, lock_mode asked);
  bool is_changing_line() const noexcept;
  void missing_permit(event_context& context, entry& e);

  // The replacement of a writer by a reader.
  void send_downgrade(event_context& context, entry& e);
  void settle_downgrade(event_context& context, entry& e, role seen);
  void settle_downgrade(event_context& context, entry& e, answer inspected);
  void end_downgrade(event_context& context, entry& e, answer result);
  void inspect_readers(event_context& context);

  // What a list shows.
  void settle_seen(event_context& context, const entry_name& parsed, std::string_view name,
                   bool recovers);
  bool settle_unseen(event_context& context, bool recovers);
  void lose_overtaken(event_context& context);
  void settle_permits(event_context& context);
  void settle_permits(event_context& context, entry& e);
  void settle_unlisted(event_context& context);

  const settings settings_;
  node_budget& budget_;
  session_token token_;
  line line_;
  waiters waiters_;
  permits permits_;
  lock_cache cache_;
  orphans orphans_;
  own_entries entries_;
  scheduler scheduler_;
  // Something is to be sent again, and the lists of the recovery among it.
  bool refused_ = false;
  bool relist_ = false;
  // Writes of a lost connection that make nodes may be carried out yet, or the servers have not
  // permitted to delete a node.
  bool has_late_writes_ = false;
};

} // namespace zklock::queue

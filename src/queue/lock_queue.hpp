#pragma once

#include "queue/entry_life.hpp"
#include "queue/orphans.hpp"
#include "queue/scheduler.hpp"
#include "queue/server_events.hpp"
#include "queue/unfinished.hpp"
#include "support/description.hpp"

#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace zklock::queue {

/// The queue of one lock as one client sees it: which entries of the client wait and which hold,
/// and which entries of other clients are before them. A pure state machine: events go in, actions
/// come out; it knows no network and no clock.
///
/// Entries are nodes in line. The queue does not know the acquisitions of the client, but how many
/// want which mode, as `demands`. An entry is for no certain acquisition: when its turn has come
/// the first acquisition of the demands holds by it. So where an entry is lost the newest
/// acquisition is the one that waits longer.
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

  /// Why no acquisition with this mode is ever granted; `none` if it can be.
  reason refusal(lock_mode asked) const noexcept;

  /// Adds an acquisition that waits, behind all that wait already, and returns its demand. No
  /// event: `serve` is to follow.
  demand_id add(lock_mode asked);
  /// Serves the acquisitions that were added.
  void serve(event_context& context);

  /// Returns the demand of a try, to be started by `start_try`.
  demand_id next_try() noexcept { return demands_.next_try(); }
  /// Starts a try: it holds at once, or is refused.
  void start_try(event_context& context, demand_id id, lock_mode asked);

  /// An acquisition of a demand gives up: it was not granted. Unknown demands are ignored.
  void withdraw(event_context& context, demand_id id);

  /// Releases an entry that is held. Ends with `forget`. Entries that are not held are ignored: the
  /// hold has ended already.
  ///
  /// Acquisitions that are granted at once are granted by entries that were not looked at since
  /// they got in line. The transaction that deletes the released entry checks that these entries
  /// exist.
  ///
  /// `may_cache`: where the cache is on, the entry may be cached for the next acquisition. Then
  /// `forget` comes at once.
  void release(event_context& context, entry_id id, bool may_cache = true);

  /// Evicts the cached entries.
  void evict(event_context& context);

  /// Makes a reader of a writer that holds. Ends with `downgraded`, or with `lose`; with neither
  /// where the entry is not held by a writer. Called once for a hold.
  void downgrade(event_context& context, entry_id id);

  /// Has the session confirmed, and the node of an entry that is held. Ends with `confirmed`; with
  /// nothing where there is no connection, or the entry is not held.
  void prove(event_context& context, entry_id id);

  /// Sends again what the servers refused for a reason that may pass, where there is anything:
  /// `has_refused` tells. To be called some time after that, not at once.
  void try_again(event_context& context);

  /// Tries again to create the entries for which there was no room.
  void refill(event_context& context);

  /// Deletes a cached entry, or an entry that waits behind other entries of ours; its acquisition
  /// is requeued when there is room. Returns whether room comes back to the budget.
  bool drop_surplus(event_context& context);

  /// Called after each event: returns the room that nothing needs any more to the budget.
  void return_room() noexcept { life_.entries().return_room(); }

  // The fast path: the lock's line grants an entry to one acquisition after the other, without the
  // queue, until the next event. Between `lend` and `granted_fast` there is no event.

  /// Returns the entry that the line may grant while no other client wants the lock: a cached
  /// entry, or an entry that is held. Null where there is none.
  const entry* entry_for_fast_path() const noexcept;

  /// Forgets the holder of the entry, if there is one: for the queue, the entry is cached.
  /// Acquisitions that wait go on waiting.
  void lend(entry_id granted);

  /// The line has granted a cached entry, so that `next_turn` is the next turn. `is_held`: an
  /// acquisition holds the entry with the last turn, as if the queue had granted it. `gone` do not
  /// wait any more, a demand for each acquisition: the entries that were created for them stay for
  /// acquisitions that come later.
  void granted_fast(entry_id by, std::uint32_t next_turn, bool is_held,
                    std::span<const demand_id> gone);

  // What happens to the session.

  /// Connected, for the first time, again, or with a new session: then after `expired`.
  void connected(event_context& context, session_token token);

  /// Requests in flight will never be answered.
  void disconnected();

  /// The session has ended and its nodes with it. Comes after `disconnected`.
  void expired(event_context& context, reason why);

  /// The replies and events of the servers.
  server_events& events() noexcept { return events_; }

  // What there is to see.

  /// Whether no acquisition waits or holds, and nothing is to be deleted.
  bool empty() const noexcept;

  /// How many entries are cached for the next acquisition.
  std::size_t cached() const noexcept { return life_.entries().count_cached(); }

  /// Whether any entry wants this.
  bool is_any(role wants) const noexcept { return life_.entries().is_any(wants); }

  /// How often an entry is granted at most.
  std::uint32_t most_turns() const noexcept { return settings_.most_turns; }

  /// How often another client wanted a lock that was worth caching.
  std::uint32_t cache_conflicts() const noexcept { return cache_.conflicts(); }

  /// Whether nodes of ours may be there, or appear, that no entry is known for. A queue that
  /// replaces this queue in the session must expect such nodes.
  bool has_late_writes() const noexcept { return unfinished_.has_late_writes(); }
  void expect_late_writes() noexcept { unfinished_.expect_late_writes(); }

  /// Whether a node of ours belongs to an entry, is to be deleted, or may be such a late write.
  bool accounts_for(entry_id id, form node, std::string_view name) const noexcept;

  /// Whether the servers refused to delete something, or to list what is to be deleted, for a
  /// reason that may pass.
  bool has_refused() const noexcept { return unfinished_.is_any_refused(); }

  /// Whether the first in line waits for permits.
  bool lacks_permits() const noexcept { return permits_.is_lacking(); }

  /// Whether the queue waits for the budget.
  bool starved() const noexcept { return scheduler_.starved(); }

  /// The need of the queue for room.
  room_need needs_room() const noexcept { return scheduler_.needs_room(); }

  /// Whether `drop_surplus` may be worth a call.
  bool has_surplus() const noexcept { return scheduler_.has_surplus(); }

  /// Whether so many permits fit into the budget at all.
  bool fits_budget(std::uint32_t permits) const noexcept {
    return life_.entries().fit_budget(permits);
  }

  /// All entries.
  const entry_map& entries() const noexcept { return life_.entries().all(); }

  /// The entries that have a node in line: held or waiting.
  const line::own_entries& own() const noexcept { return line_.own(); }

  /// Whether acquisitions wait for their turn, or for room: an entry of ours is in line. Otherwise
  /// the servers have confirmed nothing yet.
  bool in_line() const noexcept {
    return !line_.own().empty() || permits_.first_replaced() || starved();
  }

  /// How many entries and acquisitions stand before an acquisition that waits, behind `nth` others
  /// of its demand; nothing where that is not known.
  std::optional<std::size_t> count_ahead(demand_id id, std::size_t nth) const noexcept;

 private:
  template <class Writer>
  friend class zklock::description;

  bool may_try_by_cached(event_context& context, role wants);

  const settings settings_;
  line line_;
  demands demands_;
  permits permits_;
  lock_cache cache_;
  orphans orphans_;
  entry_life life_;
  scheduler scheduler_;
  unfinished unfinished_;
  server_events events_;
};

} // namespace zklock::queue

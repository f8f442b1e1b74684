#pragma once

#include "queue/entry_life.hpp"
#include "queue/idle_knowledge.hpp"
#include "queue/orphans.hpp"
#include "queue/scheduler.hpp"
#include "queue/server_events.hpp"
#include "queue/unfinished.hpp"
#include "support/description.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace zklock::queue {

/// The queue of a lock as a client sees it: which entries of the client wait and which hold, and
/// which entries of other clients are before them. A pure state machine: events go in, actions come
/// out; it knows no network and no clock.
///
/// Entries are nodes in line. The queue does not know the acquisitions of the client, but how many
/// want which mode, as `demands`. An entry is for no particular acquisition: when the entry may
/// hold, it is granted to the first acquisition in line. So if an entry is lost, the newest
/// acquisition waits longer.
///
/// It is fast because it remembers the line: an entry whose number follows the known numbers needs
/// no list, and an entry whose predecessors are known to be gone holds without any request.
///
/// Invariant: while there is a connection, and no list of a recovery is awaited, `scheduler` has
/// done all that follows from the events so far.
class lock_queue {
 public:
  /// The budget must outlive the queue.
  lock_queue(const settings& settings, node_budget& budget);

  /// Its parts refer to each other.
  lock_queue(const lock_queue&) = delete;
  lock_queue& operator=(const lock_queue&) = delete;

  // Calls.

  /// Why acquisitions with this mode are never granted; `none` if they can be.
  reason refusal(lock_mode asked) const noexcept;

  /// Adds a waiting acquisition, behind all that wait already, and returns its demand. `serve` must
  /// follow.
  demand_id add(lock_mode asked);
  /// Serves the acquisitions that were added.
  void serve(event_context& context);

  /// Returns the demand of a try, to be started by `start_try`.
  demand_id next_try() noexcept { return demands_.next_try(); }
  /// Starts a try: it holds at once, or is refused.
  void start_try(event_context& context, demand_id id, lock_mode asked);

  /// An acquisition of a demand gives up before it is granted. Unknown demands are ignored.
  void withdraw(event_context& context, demand_id id);

  /// Releases a held entry. Ends with `forget`. Ignored if the entry is not held: its hold has
  /// ended already.
  ///
  /// Acquisitions may be granted at once, by entries that nobody has looked at since they got in
  /// line. The transaction that deletes the released entry checks that they exist.
  ///
  /// `may_cache`: the entry may be cached for the next acquisition, if the cache is on. Then
  /// `forget` comes at once.
  void release(event_context& context, entry_id id, bool may_cache = true);

  void evict(event_context& context) { scheduler_.evict(context); }

  /// Downgrades a writer that holds to a reader. Ends with `downgraded` or `lose`; with neither if
  /// no writer holds by the entry. Called once for a hold.
  void downgrade(event_context& context, entry_id id);

  /// The node of a held entry is getting another identity. Ignored if the entry is not held.
  void set_identity(event_context& context, entry_id id, const identity_pointer& identity);

  /// Has the quorum confirm the session, and the node of a held entry. Ends with `confirmed`; does
  /// nothing if there is no connection, the entry is not held, or a confirmation is under way.
  void prove(event_context& context, entry_id id);
  /// Whether `prove` does anything.
  bool may_prove(entry_id id) const noexcept;

  /// Retries the requests that the servers refused for a transient reason, if `has_refused`. To be
  /// called after a delay.
  void try_again(event_context& context);

  /// Retries to create the entries for which there was no room.
  void refill(event_context& context);

  /// Deletes a cached entry, or an entry that waits behind other entries of ours; its acquisition
  /// is requeued. Returns whether room comes back to the budget.
  bool drop_surplus(event_context& context);

  /// Returns unneeded room to the budget. Called after each event.
  void return_room() noexcept { life_.entries().return_room(); }

  // The fast path: until the next event, the lock's line grants an entry to its acquisitions in
  // turn, without the queue. Between `lend` and `granted_fast` there is no event.

  /// The entry that the line may grant while no other client wants the lock: a cached entry, or a
  /// held entry. Null if there is none.
  const entry* entry_for_fast_path() const noexcept;

  /// Lends a held entry to the line. The queue forgets its holder and takes the entry for cached;
  /// acquisitions that wait go on waiting.
  void lend(entry_id granted);

  /// The line has granted a cached entry, so that `next_turn` is the next turn. `is_held`: the last
  /// of the grants still holds, as if the queue had granted it. `gone`: a demand for each
  /// acquisition that waits no longer; its entry stays for later acquisitions.
  void granted_fast(entry_id by, std::uint32_t next_turn, bool is_held,
                    std::span<const demand_id> gone);

  // The knowledge of a lock that is not used.

  /// Returns the knowledge of a queue that is `empty`, expects no late writes, and waits for no
  /// reply. The queue is used no more.
  idle_knowledge knowledge() noexcept;
  /// Begins with the knowledge of an earlier queue of the lock. Called before `connected`.
  void resume(const idle_knowledge& known) noexcept;

  // The session.

  /// Connected for the first time, or again, or with a new session: then after `expired`.
  void connected(event_context& context, session_token token);

  /// Requests in flight will never be answered.
  void disconnected();

  /// The session has ended, and its nodes with it. Comes after `disconnected`.
  void expired(event_context& context, reason why);

  /// The replies and events of the servers.
  server_events& events() noexcept { return events_; }

  // Observers.

  /// Whether no acquisition waits or holds, and no node is to be deleted.
  bool empty() const noexcept;

  /// How many entries are cached for the next acquisition.
  std::size_t cached() const noexcept { return life_.entries().count_cached(); }

  /// Whether any entry has this role.
  bool is_any(role wants) const noexcept { return life_.entries().is_any(wants); }

  /// How often an entry is granted before it is deleted.
  std::uint32_t most_turns() const noexcept { return settings_.most_turns; }

  /// How often another client wanted a lock that was worth caching.
  std::uint32_t cache_conflicts() const noexcept { return cache_.conflicts(); }

  /// Whether nodes of ours that belong to no known entry may exist, or appear. A queue that
  /// replaces this queue in the session must expect such nodes.
  bool has_late_writes() const noexcept { return unfinished_.has_late_writes(); }
  void expect_late_writes() noexcept { unfinished_.expect_late_writes(); }

  /// Whether a node of ours belongs to an entry, is to be deleted, or may come from a late write.
  bool accounts_for(entry_id id, form node, std::string_view name) const noexcept;

  /// Whether the servers refused, for a transient reason, a delete or a list that shows nodes to
  /// delete: see `try_again`.
  bool has_refused() const noexcept { return unfinished_.is_any_refused(); }

  /// Whether the head of the line waits for permits.
  bool lacks_permits() const noexcept { return permits_.is_lacking(); }

  /// Whether the queue waits for room in the budget.
  bool starved() const noexcept { return scheduler_.starved(); }

  room_need needs_room() const noexcept { return scheduler_.needs_room(); }

  /// Whether `drop_surplus` may be worth a call.
  bool has_surplus() const noexcept { return scheduler_.has_surplus(); }

  /// Whether so many permits fit into the budget at all.
  bool fits_budget(std::uint32_t permits) const noexcept {
    return life_.entries().fit_budget(permits);
  }

  const entry_map& entries() const noexcept { return life_.entries().all(); }

  /// The entries that have a node in line: held or waiting.
  const line::own_entries& own() const noexcept { return line_.own(); }

  /// Whether acquisitions wait for their turn, or for room: an entry of ours is in line. Otherwise
  /// the servers have confirmed no entry yet.
  bool in_line() const noexcept {
    return !line_.own().empty() || permits_.first_replaced() || starved();
  }

  /// How many entries and acquisitions are ahead of an acquisition that has `nth` acquisitions of
  /// its demand before it; empty if unknown.
  std::optional<std::size_t> count_ahead(demand_id id, std::size_t nth) const noexcept;

 private:
  template <class Writer>
  friend class zklock::description;

  bool may_try_by_cached(event_context& context, const lock_mode& asked);

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

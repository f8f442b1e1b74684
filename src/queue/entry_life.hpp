#pragma once

#include "queue/action.hpp"
#include "queue/line.hpp"
#include "queue/lock_cache.hpp"
#include "queue/own_entries.hpp"
#include "queue/permits.hpp"
#include "queue/reuse_rules.hpp"
#include "queue/settings.hpp"

#include <cstdint>
#include <memory_resource>

namespace zklock::queue {

/// What becomes of our entries and of their acquisitions, from the create to the end.
///
/// Invariant: an entry is in the line while its node may be there, and in the permits with each
/// permit that may exist.
class entry_life {
 public:
  /// All of these must live as long.
  entry_life(const settings& settings, node_budget& budget, line& line, demands& demands,
             permits& permits, lock_cache& cache, std::pmr::memory_resource* memory)
      : line_(line),
        demands_(demands),
        permits_(permits),
        cache_(cache),
        entries_(settings, budget, line, demands, memory),
        reuse_(settings, budget, line, demands, cache, entries_.all()) {}

  own_entries& entries() noexcept { return entries_; }
  const own_entries& entries() const noexcept { return entries_; }

  const reuse_rules& reuse() const noexcept { return reuse_; }

  // From the create to the turn.

  /// The number of an entry is known now. Returns whether the entry is in line.
  bool arrive(event_context& context, entry& e, entry::state is);

  /// The node of an entry was found in a list, or its permits were, and the servers have answered
  /// the question about it: the entry is in line, or its permits may be held.
  void found(entry& e, std::int64_t czxid) noexcept;
  /// The servers have refused to answer this question: the acquisition is refused.
  void reject(event_context& context, entry& e, reason why);

  /// An entry that does not hold will be gone. Its acquisition, or the last in line, waits again,
  /// or is refused.
  void vacate(event_context& context, entry& e, reason why = reason::none);

  /// No acquisition needs the entry: deletes it, as soon as its number is known.
  void drop(event_context& context, entry& e);

  /// An acquisition of a demand does not wait any more: the entry of its place is deleted. Returns
  /// whether there was such an acquisition.
  bool withdraw(event_context& context, demand_id id);

  /// Drops the entries that no acquisition needs, the last entry first. Entries without a number
  /// are dropped when they arrive. Returns whether there were any.
  bool shed(event_context& context);

  // Holding.

  /// The acquisition that the entry is for holds by it.
  void hold(event_context& context, entry& e);
  /// The hold has ended before its release.
  void lose(event_context& context, entry& e, reason why);
  /// Releases an entry: hands it over, caches it if `may_cache`, or deletes it.
  void release(event_context& context, entry& e, bool may_cache);
  /// The entry is not handed over any more.
  void end_hand_overs(const entry& e) noexcept;
  /// The node of an entry is a reader's node now.
  void become_reader(entry& e) noexcept {
    entries_.change(e, [&] { e.become_reader(); });
  }

  // The cache.

  /// Caches an entry. Its holder, if there is one, is not told of the entry any more.
  void cache(entry& e) noexcept;
  /// Evicts all cached entries.
  void evict(event_context& context);
  /// Watches the data of the nodes of all held and cached entries.
  void watch_data(event_context& context);
  /// Watches the data of the node of an entry that is held or cached since the last `watch_data`.
  void watch_data_of(event_context& context, entry& e);
  /// Another client has requested the release of an entry: evicts the entry, or marks it to be
  /// deleted on release.
  void request_release(event_context& context, entry& e);

  // Permits.

  /// Permits begin to replace an entry, for its acquisition or for the first in line.
  void begin_permits(entry& e);
  /// No permits replace the entry any more.
  void end_permits(entry& e) noexcept;
  /// The entry was not replaced, and is in line as before.
  void back_in_line(event_context& context, entry& e);
  /// The acquisition of an entry waits, or tries, again: without this entry.
  void requeue(entry& e);
  /// The acquisition of an entry is refused.
  void refuse(event_context& context, entry& e, reason why);
  /// An entry before these was deleted by other clients: the permits that replace entries behind
  /// `number` are deleted once they are there.
  void remove_permits_behind(sequence number) noexcept;

  // The end.

  /// Deletes an entry, or the permits that replaced it, as soon as that can be sent.
  void remove(event_context& context, entry& e);
  /// Sends the deletes again that the servers have refused.
  void remove_refused(event_context& context);
  /// The node of an entry is gone, and this client has not deleted it.
  void lose_node(event_context& context, entry& e);
  /// A permit of an entry is gone, and this client has not deleted it.
  void lose_permit(event_context& context, entry& e);
  /// The node with this number was deleted by other clients, or may have been. Grants behind it,
  /// and the knowledge of the line, may be of another directory.
  void lose_pin(event_context& context, sequence number);
  /// The directory was deleted. It had entries of ours, so a client has deleted entries of others.
  void lose_line(event_context& context);
  /// The servers have come back with older data: the node of the entry that had been replaced is
  /// there again, with the role `first`. Deletes it.
  void undo_replacement(event_context& context, entry& e, role first);
  /// Nothing is left of an entry.
  void forget(event_context& context, entry& e, reason why = reason::none);

  // The session.

  /// The outcomes of the requests in flight are unconfirmed.
  void disconnected() noexcept;
  /// All entries are gone.
  void expired(event_context& context, reason why);

 private:
  void hand_over(event_context& context, entry& e);
  void watch_data_once(event_context& context, entry& e);
  void send_remove(event_context& context, entry& e);

  line& line_;
  demands& demands_;
  permits& permits_;
  lock_cache& cache_;
  own_entries entries_;
  const reuse_rules reuse_;
};

} // namespace zklock::queue

#pragma once

#include "queue/action.hpp"
#include "queue/line.hpp"
#include "queue/lock_cache.hpp"
#include "queue/own_entries.hpp"
#include "queue/permits.hpp"
#include "queue/reuse_rules.hpp"
#include "queue/settings.hpp"

#include <cstdint>

namespace zklock::queue {

/// The life of our entries and of their acquisitions, from the create to the end.
///
/// Invariant: the line contains an entry while its node may exist, and the permits count each
/// permit of an entry that may exist.
class entry_life {
 public:
  /// All arguments must outlive the object.
  entry_life(const settings& settings, node_budget& budget, line& line, demands& demands,
             permits& permits, lock_cache& cache)
      : line_(line),
        demands_(demands),
        permits_(permits),
        cache_(cache),
        entries_(settings, budget, line, demands),
        reuse_(settings, budget, line, demands, cache, entries_.all()) {}

  own_entries& entries() noexcept { return entries_; }
  const own_entries& entries() const noexcept { return entries_; }

  const reuse_rules& reuse() const noexcept { return reuse_; }

  // From the create to the turn.

  /// Puts an entry in line whose number has become known. Returns whether the entry is in line.
  bool arrive(event_context& context, entry& e, entry::state is);

  /// An inspection has found the node of an entry, or its permits: the entry is in line, or its
  /// permits may be held.
  void found(entry& e, std::int64_t czxid) noexcept;
  /// The servers have refused an inspection: the acquisition is refused.
  void reject(event_context& context, entry& e, reason why);

  /// Takes an entry that is to be deleted from its acquisition, or from the last acquisition in
  /// line: the acquisition waits again, or is refused.
  void vacate(event_context& context, entry& e, reason why = reason::none);

  /// Deletes an entry that no acquisition needs, as soon as its number is known.
  void drop(event_context& context, entry& e);

  /// Removes an acquisition of a demand that has given up, and deletes the entry of its place.
  /// Returns whether there was such an acquisition.
  bool withdraw(event_context& context, demand_id id);

  /// Deletes the entries that no acquisition needs, the last entry first; entries without a number
  /// are deleted when they arrive. Returns whether there were any.
  bool shed(event_context& context);

  // Holding.

  /// Grants an entry to its acquisition, or to the first in line.
  void hold(event_context& context, entry& e);
  /// The client is writing another identity into the node of a held entry.
  static void set_identity(entry& e, const identity_pointer& identity) noexcept;
  /// Ends a hold before its release.
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

  /// Caches an entry, and forgets its holder.
  void cache(entry& e) noexcept;
  void evict(event_context& context);
  /// Watches the data of all held and cached entries.
  void watch_data(event_context& context);
  /// Watches the data of an entry that is held or cached since the last `watch_data`.
  void watch_data_of(event_context& context, entry& e);
  /// Another client has requested the release of an entry: evicts it, or marks it to be deleted on
  /// release.
  void request_release(event_context& context, entry& e);

  // Permits.

  /// Permits begin to replace an entry, for its acquisition or for the first in line.
  void begin_permits(entry& e);
  /// No permits replace the entry any more.
  void end_permits(entry& e) noexcept;
  /// The entry was not replaced, and is in line as before.
  void back_in_line(event_context& context, entry& e);
  /// The acquisition of an entry waits, or tries, again without this entry.
  void requeue(entry& e);
  void refuse(event_context& context, entry& e, reason why);
  /// Other clients deleted an entry with this number: the permits that are replacing later entries
  /// are deleted once they exist.
  void remove_permits_behind(sequence number) noexcept;

  // The end.

  /// Deletes an entry, or the permits that replaced it, as soon as the delete can be sent.
  void remove(event_context& context, entry& e);
  /// Retries the deletes that the servers have refused.
  void remove_refused(event_context& context);
  /// Another client has deleted the node of an entry.
  void lose_node(event_context& context, entry& e);
  /// Another client has deleted a permit of an entry.
  void lose_permit(event_context& context, entry& e);
  /// Another client has deleted the node with this number, or may have, and the directory may have
  /// been created anew since: invalidates the knowledge of the line, and the grants behind the
  /// node.
  void lose_pin(event_context& context, sequence number);
  /// The directory was deleted, and our entries in it by other clients.
  void lose_line(event_context& context);
  /// The servers came back with older data: the replaced node of an entry exists again, with the
  /// role `first`. Deletes it.
  void undo_replacement(event_context& context, entry& e, role first);
  /// Destroys an entry of which no node is left.
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

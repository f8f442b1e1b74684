#pragma once

#include "queue/action.hpp"
#include "queue/line.hpp"
#include "queue/lock_cache.hpp"
#include "queue/node_budget.hpp"
#include "queue/permits.hpp"
#include "queue/reuse_rules.hpp"
#include "queue/settings.hpp"
#include "queue/waiters.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory_resource>

namespace zklock::queue {

/// Our entries, from the create until nothing is left of them, and what becomes of acquisitions
/// and of the budget with each.
///
/// Invariant: an entry is counted once in each of these, as its state says: among the unassigned
/// entries or assigned to one acquisition, in line while its node may be there, in the permits and
/// the budget with each node that may exist.
class own_entries {
 public:
  /// All of these must live as long.
  own_entries(const settings& settings, node_budget& budget, line& line, waiters& waiters,
              permits& permits, lock_cache& cache, std::pmr::memory_resource* memory);

  const entry_map& all() const noexcept { return all_; }
  entry_map& all() noexcept { return all_; }
  entry* find(entry_id id) noexcept;

  /// The unassigned entry of an acquisition in line. Entries get in line in the order in which they
  /// are asked for.
  const entry& at(waiters::rank_in_line rank) const noexcept;

  // From the create to the turn.

  /// An acquisition has brought the room for so many nodes along.
  void bring_room(std::uint32_t nodes) noexcept { spare_ += nodes; }

  /// Whether the room of an entry in line would come back to the budget with the entry: no
  /// acquisition that has brought its room along would need it.
  bool frees_room(const entry& e) const noexcept {
    return spare_ >= waiters_.count_brought() && !waiters_.has_last_brought(e.wants);
  }

  /// Returns the room that neither entries nor acquisitions need to the budget.
  void return_room() noexcept;

  /// Adds an entry, where there is room for all that is asked for. Null where there is not.
  entry* add(event_context& context, lock_mode asked);

  /// Its number is known now. Returns whether it is in line.
  bool arrive(event_context& context, entry& e, entry::state is);

  /// The node of the entry is a reader's node now.
  void become_reader(entry& e) noexcept {
    e.become_reader();
    line_.regroup(e);
  }

  /// What was asked for, of an entry that was found in a list, is answered: it is in line, or its
  /// permits may be held.
  void found(entry& e, std::int64_t czxid) noexcept;

  /// The same, refused: the acquisition is, too.
  void reject(event_context& context, entry& e, reason why);

  /// An entry that does not hold will not be there any more. One acquisition less is in line: it
  /// waits again, or is refused.
  void vacate(event_context& context, entry& e, reason why = reason::none);

  /// No acquisition needs the entry.
  void drop(event_context& context, entry& e);

  /// Takes an acquisition out of line, and ends it by this notification. Its entry stays only if
  /// another acquisition needs it. Returns whether it was in line.
  bool leave_line(event_context& context, const action& told);

  /// Drops the entries that no acquisition needs, the last one first. Those on their way are seen
  /// to when they arrive. Returns whether there were any.
  bool shed(event_context& context);

  /// Whether room for others is coming, since an entry is leaving.
  bool is_any_leaving() const noexcept { return leaving_ != 0; }

  // Holding.

  /// The acquisition that it is for holds by it.
  void hold(event_context& context, entry& e);

  /// The hold is over, for `why`.
  void lose(event_context& context, entry& e, reason why);

  /// Gives it back: it is handed over, kept (unless `may_keep` is false), or deleted. Returns
  /// whether that is done; otherwise permits are replacing it, and what exists is deleted once that
  /// is known.
  bool release(event_context& context, entry& e, bool may_keep);

  // The cache.

  /// How many entries are kept without an acquisition.
  std::size_t count_cached() const noexcept {
    return cached(role::exclusive) + cached(role::shared);
  }
  const entry* find_cached(role wants) const noexcept;
  bool is_any(role wants) const noexcept;
  bool is_any_downgrading() const noexcept;
  const reuse_rules& reuse() const noexcept { return reuse_; }
  /// One that holds is kept, and the acquisition is no concern of ours any more.
  void hand_out(entry& e) noexcept;
  /// A cached entry was granted to this acquisition by the lock's line.
  void hold_outside(entry& e, acquisition_id holder);
  /// Gives back all that are kept. Acquisitions that wait for one get in line.
  void drop_cached(event_context& context);
  /// Watches the data of the nodes of entries that hold or are cached, as far as that is not asked
  /// for yet.
  void watch_data(event_context& context);
  /// Watches the data of the node of an entry that holds, or is cached, since the last
  /// `watch_data`.
  void watch_data_of(event_context& context, entry& e);
  /// Another client asks for the release of an entry: at once where it is cached, and otherwise
  /// when it is released.
  void request_release(event_context& context, entry& e);

  /// It is not handed over any more.
  void end_hand_overs(const entry& e) noexcept;

  // Permits.

  /// Permits are about to replace the entry. Returns whether there is room for them.
  bool begin_permits(entry& e, std::uint32_t permits);

  /// There is not: the first in line is for a later entry that has room for all of them, or waits
  /// for one.
  void pass_up(event_context& context, entry& e);

  /// The entry was not replaced.
  void end_permits(entry& e) noexcept;

  /// The same, and it is in line as before.
  void back_in_line(event_context& context, entry& e);

  /// The acquisition waits, or tries, again: without this entry.
  void requeue(entry& e);

  /// The acquisition is refused.
  void refuse(event_context& context, entry& e, reason why);

  // The end.

  /// Deletes the entry, or the permits that replaced it, as soon as that can be asked for.
  void remove(event_context& context, entry& e);

  /// The servers would not delete it for a reason that may pass; it is sent again.
  void removal_refused(entry& e) noexcept { e.is = entry::state::refused; }
  void remove_refused(event_context& context);

  /// Its node is gone, and it was not deleted by us.
  void lose_node(event_context& context, entry& e);

  /// The servers came back with older data: the node that permits or that of a reader had replaced
  /// is there again, and says that the entry wants `first`. The node is deleted.
  void undo_replacement(event_context& context, entry& e, role first);

  /// An answer tells that the node with this number was deleted by others, or may have been. What
  /// was granted behind it, and what is known of the line, may be of another directory.
  void lose_pin(event_context& context, sequence number);

  /// The same, where a list shows what is in line.
  void give_back_behind(sequence number) noexcept;

  /// All are gone from the line. Entries of ours are in it: only one that deletes the entries of
  /// other clients can have deleted the directory.
  void lose_line(event_context& context);

  /// Nothing is left of it.
  void forget(event_context& context, entry& e, reason why = reason::none);

  // The session.

  /// What is in flight is unconfirmed.
  void disconnected() noexcept;
  /// Whether a request is without an answer that makes a node.
  bool is_any_to_appear() const noexcept;

  /// All are gone.
  void expired(event_context& context, reason why);

  /// Gives all of it to `to`; the counts follow from the entries.
  template <state_writer Writer>
  void describe(Writer& to) const {
    to.value(all_.size());
    for (const auto& [id, e] : all_)
      e.describe(to);
    to.value(spare_);
  }

 private:
  void watch_data(event_context& context, entry& e);
  void keep(event_context& context, entry& e);
  void keep(entry& e) noexcept;
  void leave_cache(const entry& e) noexcept;
  static bool goes(const entry& e) noexcept {
    return e.is_leaving() || e.is == entry::state::abandoned;
  }
  std::size_t& cached(role wants) noexcept { return cached_[static_cast<std::size_t>(wants)]; }
  std::size_t cached(role wants) const noexcept { return cached_[static_cast<std::size_t>(wants)]; }
  void hand_over(event_context& context, entry& e);
  void send_remove(event_context& context, entry& e);
  bool take_room(std::size_t nodes, std::size_t spare) noexcept;
  void give_back(std::size_t nodes) noexcept;
  std::size_t count_lacking() const noexcept;

  const settings& settings_;
  node_budget& budget_;
  line& line_;
  waiters& waiters_;
  permits& permits_;
  lock_cache& cache_;
  entry_map all_;
  const reuse_rules reuse_;
  // The room, in nodes, that is in no entry: acquisitions have brought it along and have no entry,
  // or an entry with less room than they want.
  std::size_t spare_ = 0;
  // How many are kept, and how many are leaving: each event asks for that, and must not look at all
  // of them.
  std::array<std::size_t, 2> cached_{};
  std::size_t leaving_ = 0;
};

} // namespace zklock::queue

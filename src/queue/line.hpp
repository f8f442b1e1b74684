#pragma once

#include "queue/action.hpp"
#include "queue/channel.hpp"
#include "queue/entry_groups.hpp"
#include "queue/foreign_entries.hpp"
#include "queue/lock_policy.hpp"
#include "support/description.hpp"

#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace zklock::queue {

/// The knowledge of the line of a lock: our entries and the entries of other clients, by number.
///
/// Invariant: for each number up to `known_` the entry is ours, or a known entry of another client,
/// or gone for good. Numbers are given out in rising order, so that no entry gets in line before a
/// known entry: the known entries only become fewer, until the knowledge is void. An entry that
/// follows directly needs no list.
class line {
 public:
  using own_entries = entry_groups::by_number;
  using change = foreign_entries::change;

  /// The nodes that a list shows.
  struct listing;

  line(lock_policy policy, std::size_t look_ahead, std::pmr::memory_resource* memory)
      : look_ahead_(look_ahead), policy_(policy), own_(memory), foreign_(policy) {}

  lock_policy policy() const noexcept { return policy_; }
  queue::channel& channel() noexcept { return channel_; }
  const queue::channel& channel() const noexcept { return channel_; }

  void disconnected() noexcept;
  /// The session has ended, and our entries with it.
  void expired() noexcept {
    own_.clear();
    pin_lost_ = 0;
  }

  // Our entries.

  const own_entries& own() const noexcept { return own_.all(); }
  entry_groups& groups() noexcept { return own_; }
  const entry_groups& groups() const noexcept { return own_; }

  /// Whether an entry of ours that holds is behind numbers that are not known.
  bool is_any_held_uncovered() const noexcept;

  /// Whether all entries before an entry are known.
  bool covers(const entry& e) const noexcept { return known_ >= e.number; }

  /// Whether the first in line is known, and ours.
  bool is_first_ours() const noexcept;

  /// Whether the number of a new entry does not rise: the directory was deleted and created again.
  /// Numbers rise until they turn negative.
  bool is_renumbered(sequence number) const noexcept;

  /// The number of a new entry: known if it follows the known numbers.
  void number_given(sequence number) noexcept;

  /// Whether a list belongs behind the next create, whose number may not follow the known numbers.
  bool needs_list() const noexcept { return !channel_.is_listing() && (!known_ || met_gap_); }
  /// Whether the number of the newest entry did not follow the known numbers: entries of other
  /// clients are in between.
  bool has_met_gap() const noexcept { return met_gap_; }

  // All entries.

  /// Whether anything is known of entries of other clients.
  bool is_known() const noexcept { return known_.has_value(); }

  /// Our entries, with the entries that are being created.
  predecessors ours() const noexcept;

  /// All known entries, with our entries that are being created; without the entries of other
  /// clients that may be cached, unless `with_cached`.
  predecessors all(bool with_cached = true) const noexcept;

  /// How many entries are before an entry of ours, or before the next entry that is created; empty
  /// if that is not known.
  std::optional<std::size_t> count_before(const entry& e) const noexcept;
  std::optional<std::size_t> count_known() const noexcept;

  // Entries of other clients.

  const foreign_entries& others() const noexcept { return foreign_; }

  /// The node of an entry of another client exists no more.
  change entry_gone(std::string_view name) { return foreign_.gone(name); }
  /// The watch of such an entry fired for another reason, or was refused.
  bool entry_unwatched(std::string_view name) noexcept { return foreign_.unwatched(name); }

  /// The watched predecessors do not suffice any more.
  void plan_again() noexcept;

  /// Watches the nearest predecessors of an entry. Returns whether a list is needed.
  bool look_ahead(event_context& context, entry& e);

  /// Whether a known entry of another client before an entry of ours keeps it from holding. Numbers
  /// below 0 are in names that were given by hand: such entries do not end a hold.
  bool is_overtaken(const entry& e) const noexcept;

  // The directory. It cannot be deleted while an entry of ours is in it, nor without an event while
  // it is watched: it is pinned. Otherwise it may have been deleted and created again, with numbers
  // that start from 0.

  /// Returns whether a watch is to be set: there is none.
  bool ask_directory_watch() noexcept;
  /// Returns whether the watch was asked for.
  bool directory_watch_answered(bool is_set) noexcept;
  void directory_watch_fired() noexcept { directory_watch_ = watch_state::none; }

  /// The knowledge is void unless the directory is pinned.
  void forget_unless_pinned() noexcept;
  /// As `forget_unless_pinned`, when an entry is about to go: requests that were sent before are in
  /// time.
  void leave() noexcept;
  void forget() noexcept;

  /// Other clients have deleted an entry of ours: since then the directory was not pinned, and may
  /// have been created again, with entries of other clients before ours. The knowledge is void,
  /// also for held entries.
  void pin_lost() noexcept;
  /// Whether no list was answered since the pin was lost, or not even asked for.
  bool is_pin_lost() const noexcept { return pin_lost_ != 0; }
  bool lacks_list() const noexcept { return pin_lost_ > channel_.list_order(); }

  // A list.

  /// Reads a list. The knowledge of the entries of other clients is void until the list is adopted.
  listing read(std::span<const std::string_view> names, std::int64_t children_ever);
  /// The entries of other clients are as listed.
  void adopt(listing& shown) noexcept;
  /// Our entries are settled: all listed entries are known.
  void complete(const listing& shown) noexcept;

 private:
  template <class Writer>
  friend class zklock::description;

  enum class watch_state : std::uint8_t { none, asked, set };

  std::optional<sequence> conflicting_own_before(const entry& e) const noexcept;
  bool is_pinned() const noexcept;

  const std::size_t look_ahead_;
  const lock_policy policy_;
  queue::channel channel_;
  entry_groups own_;
  foreign_entries foreign_;
  // Empty if nothing is known. No number stands for that: children can have any number, also a
  // negative number.
  std::optional<sequence> known_;
  // The newest number did not follow the known numbers.
  bool met_gap_ = false;
  watch_state directory_watch_ = watch_state::none;
  // When the pin was lost, in the order of creates and lists; 0 if it was not lost.
  std::uint64_t pin_lost_ = 0;
};

struct line::listing {
  struct own_entry {
    entry_name parsed;
    std::string_view name;
  };

  std::pmr::vector<own_entry> own;
  foreign_entries others;
  sequence highest;
};

} // namespace zklock::queue

#pragma once

#include "queue/action.hpp"
#include "queue/channel.hpp"
#include "queue/entry_groups.hpp"
#include "queue/foreign_entries.hpp"
#include "queue/lock_policy.hpp"
#include "support/description.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace zklock::queue {

/// The known line of a lock: our entries and the entries of other clients, by number.
///
/// Invariant: for each number up to `known_` the entry is ours, or a known entry of another client,
/// or gone for good. Numbers rise, so no entry gets in line before a known entry: the known entries
/// only become fewer, until the knowledge is invalidated. An entry with the next number needs no
/// list.
class line {
 public:
  using own_entries = entry_groups::by_number;
  using change = foreign_entries::change;

  /// The nodes that a list shows.
  struct listing;

  line(lock_policy policy, std::size_t look_ahead)
      : look_ahead_(look_ahead), policy_(policy), foreign_(policy) {}

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

  /// Whether an entry of ours holds behind unknown numbers.
  bool is_any_held_uncovered() const noexcept;

  /// Whether all entries before an entry are known.
  bool covers(const entry& e) const noexcept { return known_ >= e.number; }

  /// Whether the first in line is known, and ours.
  bool is_first_ours() const noexcept;

  /// Whether the number of a new entry shows that the directory was deleted and created again,
  /// since it does not rise. Numbers rise until they turn negative.
  bool is_renumbered(sequence number) const noexcept;

  /// The number of a new entry: known if it follows the known numbers.
  void number_given(sequence number) noexcept;

  /// Whether a list is to follow the next create, whose number may not follow the known numbers.
  bool needs_list() const noexcept { return !channel_.is_listing() && (!known_ || met_gap_); }
  /// Whether the number of the newest entry did not follow the known numbers: entries of other
  /// clients are in between.
  bool has_met_gap() const noexcept { return met_gap_; }

  // All entries.

  /// Whether anything is known of entries of other clients.
  bool is_known() const noexcept { return known_.has_value(); }

  /// Our entries, including entries that are being created.
  predecessors ours() const noexcept;

  /// All known entries, and our entries that are being created. Unless `with_cached`, without the
  /// entries of other clients that may be cached.
  predecessors all(bool with_cached = true) const noexcept;

  /// How many entries are before an entry of ours, or before the next entry that is created; empty
  /// if unknown.
  std::optional<std::size_t> count_before(const entry& e) const noexcept;
  std::optional<std::size_t> count_known() const noexcept;

  // Entries of other clients.

  const foreign_entries& others() const noexcept { return foreign_; }

  /// Another client's entry is gone.
  change entry_gone(std::string_view name) { return foreign_.gone(name); }
  /// The watch of another client's entry fired for another reason, or was refused.
  bool entry_unwatched(std::string_view name) noexcept { return foreign_.unwatched(name); }

  /// The watched predecessors do not suffice any more: watches are planned again.
  void plan_again() noexcept;

  /// Watches the nearest predecessors of an entry. Returns whether a list is needed.
  bool look_ahead(event_context& context, entry& e);

  /// Whether a known entry of another client is before an entry of ours and blocks it. Numbers
  /// below 0 do not count: such names were given by hand.
  bool is_overtaken(const entry& e) const noexcept;

  // The directory. It is pinned while an entry of ours is in it, which prevents its deletion, or
  // while it is watched. Otherwise it may have been deleted and created again, with numbers that
  // start from 0.

  /// Returns whether to arm a watch, since there is none.
  bool arm_directory_watch() noexcept;
  /// Returns whether the watch was being armed.
  bool directory_watch_answered(bool is_set) noexcept;
  void directory_watch_fired() noexcept { directory_watch_ = watch_state::none; }
  bool is_directory_watched() const noexcept { return directory_watch_ == watch_state::set; }

  /// Invalidates the knowledge unless the directory is pinned.
  void forget_unless_pinned() noexcept;
  /// As `forget_unless_pinned`, before an entry of ours goes: a create or a watch in flight pins
  /// the directory in time.
  void leave() noexcept;
  void forget() noexcept;

  /// Other clients have deleted an entry of ours: since then the directory was not pinned, and may
  /// have been created again, with entries of other clients before ours. Invalidates the knowledge,
  /// also for held entries.
  void pin_lost() noexcept;
  /// Whether no list was answered since the pin was lost, or even sent.
  bool is_pin_lost() const noexcept { return pin_lost_ != 0; }
  bool lacks_list() const noexcept { return pin_lost_ > channel_.list_order(); }

  // The life of a line without entries of ours.

  /// The last known number, where no known entry is left; empty otherwise.
  std::optional<sequence> gone_up_to() const noexcept;
  /// Begins with the knowledge of an earlier line.
  void resume(bool is_watched, std::optional<sequence> gone_up_to) noexcept {
    directory_watch_ = is_watched ? watch_state::set : watch_state::none;
    known_ = gone_up_to;
  }

  // A list.

  /// Reads a list. Until `adopt`, no entries of other clients are known.
  listing read(std::span<const std::string_view> names, std::int64_t children_ever);
  /// Replaces the entries of other clients by the listed entries.
  void adopt(listing& shown) noexcept;
  /// Our entries are settled: the line is known up to the end of the list.
  void complete(const listing& shown) noexcept;

 private:
  template <class Writer>
  friend class zklock::description;

  enum class watch_state : std::uint8_t { none, arming, set };

  std::optional<sequence> conflicting_own_before(const entry& e) const noexcept;
  bool is_pinned() const noexcept;

  const std::size_t look_ahead_;
  const lock_policy policy_;
  queue::channel channel_;
  entry_groups own_;
  foreign_entries foreign_;
  // Empty if nothing is known. No number can stand for that: children have any numbers, even
  // negative numbers.
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

  std::vector<own_entry> own;
  foreign_entries others;
  sequence highest;
};

} // namespace zklock::queue

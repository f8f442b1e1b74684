#pragma once

#include "queue/action.hpp"
#include "queue/entry_groups.hpp"
#include "queue/lock_policy.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory_resource>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace zklock::queue {

/// What is known of the line of a lock: our entries and those of other clients, by number.
///
/// Invariant: for each number up to `known` the entry is ours, or one of those of others, or gone
/// for good. Numbers are given out in rising order, so that no entry gets in line before one that
/// is known: what is known can only shrink, until it is void. An entry that follows directly needs
/// no list.
class line {
 public:
  using own_entries = entry_groups::by_number;

  /// Counts predecessors, from the front of the line on.
  class scan;

  /// What a list shows.
  struct listing;

  /// What becomes of an entry of another client.
  enum class change : std::uint8_t { none, gone, replaced };

  line(lock_policy policy, std::size_t look_ahead, std::pmr::memory_resource* memory)
      : policy_(policy), look_ahead_(look_ahead), own_(memory) {}

  // The connection. What became of the requests in flight when the last one was lost, and which
  // entries are in line, a list tells before anything else is asked for.

  void connected(bool recovers) noexcept;
  void disconnected() noexcept;
  void expired() noexcept {
    own_.clear();
    pin_lost_ = 0;
  }
  bool is_recovering() const noexcept { return connection_ == connection::recovering; }
  void end_recovery() noexcept { connection_ = connection::ready; }
  bool can_ask() const noexcept { return connection_ == connection::ready; }

  // Requests. The order of creates and lists tells which lists show an entry.

  std::uint64_t next_order() noexcept { return ++order_; }
  std::uint64_t order() const noexcept { return order_; }

  void create_sent(role wants) noexcept { creating_.add(wants); }
  void create_answered(role wants) noexcept { creating_.remove(wants); }
  bool is_creating() const noexcept { return creating_.entries != 0; }

  void begin_list() noexcept;
  void list_answered() noexcept { is_listing_ = false; }
  bool is_listing() const noexcept { return is_listing_; }
  std::uint64_t list_order() const noexcept { return list_order_; }

  /// Whether a list belongs behind the next create: its number may not follow what is known.
  bool needs_list() const noexcept { return !is_listing_ && (!known_ || met_gap_); }
  /// Whether the number of the last entry did not follow what was known: others were in between.
  bool has_met_gap() const noexcept { return met_gap_; }

  // Our entries.

  const own_entries& own() const noexcept { return own_.all(); }
  const entry_groups& groups() const noexcept { return own_; }
  void insert(entry& e) { own_.insert(e); }
  void erase(entry& e) noexcept { own_.erase(e); }
  void regroup(entry& e) noexcept { own_.regroup(e); }

  /// Whether an entry of ours that holds is behind numbers that are not known.
  bool is_any_held_uncovered() const noexcept;

  /// Whether anything is known of others.
  bool is_known() const noexcept { return known_.has_value(); }

  /// All before it are known.
  bool covers(const entry& e) const noexcept { return known_ >= e.number; }

  /// Whether the first in line is known, and ours.
  bool is_first_ours() const noexcept;

  /// Numbers rise, until they turn negative. Whether the number of a new entry does not: the
  /// directory was deleted and made again.
  bool is_renumbered(sequence number) const noexcept;

  /// The number of a new entry: it is known where it follows what is known.
  void number_given(sequence number) noexcept;

  /// Ours, with those that are being created.
  predecessors ours() const noexcept;

  /// All that are known, with ours that are being created.
  predecessors all(bool with_kept = true) const noexcept;

  /// How many are before one of ours, or before the next one that is created; nothing where that
  /// is not known.
  std::optional<std::size_t> count_before(const entry& e) const noexcept;
  std::optional<std::size_t> count_known() const noexcept;

  // Entries of other clients.

  /// Whether a known one conflicts with an entry that wants this, before or behind it.
  bool has_others(role wants) const noexcept;
  std::size_t count_others() const noexcept { return foreign_.size(); }

  /// The node exists no more.
  change entry_gone(std::string_view name);

  /// The watch fired for another reason, or was refused.
  bool entry_unwatched(std::string_view name) noexcept;

  /// What was watched ahead of time does not suffice any more.
  void plan_again() noexcept;

  /// Watches those right before an entry. Returns whether a list is needed.
  bool look_ahead(event_context& context, entry& e);

  // The directory. It cannot be deleted while an entry of ours is in it, nor without an event while
  // it is watched: it is pinned. Otherwise it may have been deleted and made again, with numbers
  // that start from 0.

  /// Returns whether a watch is to be set: there is none.
  bool ask_directory_watch() noexcept;
  /// Returns whether it was asked for.
  bool directory_watch_answered(bool is_set) noexcept;
  void directory_watch_fired() noexcept { directory_watch_ = watch_state::none; }

  /// What is known is void unless the directory is pinned.
  void forget_unless_pinned() noexcept;

  /// The same, when an entry is about to go. What was asked for before that is in time.
  void leave() noexcept;

  void forget() noexcept;

  /// An entry of ours was deleted by others: since then the directory was not pinned. It may have
  /// been made again, with entries of other clients before ours. What is known is void, also of
  /// those that hold.
  void pin_lost() noexcept;

  /// Whether no list was answered since then, or not even asked for.
  bool is_pin_lost() const noexcept { return pin_lost_ != 0; }
  bool lacks_list() const noexcept { return pin_lost_ > list_order_; }

  /// Whether one of another client that keeps an entry of ours from holding is known to be before
  /// it. Numbers below 0 are in names that were given by hand: they do not end a hold.
  bool is_overtaken(const entry& e) const noexcept;

  // A list.

  /// Reads a list. What is known of the entries of others is void until it is adopted.
  listing read(std::span<const std::string_view> names, session_token token,
               std::int64_t children_ever);

  /// The entries of others are as listed.
  void adopt(listing& shown) noexcept;

  /// Ours are settled: all that are listed are known.
  void complete(const listing& shown) noexcept;

  /// Gives all of it to `to`.
  template <state_writer Writer>
  void describe(Writer& to) const {
    to.value(own().size());
    for (const auto& [number, e] : own()) {
      to.number(number);
      to.entry(e->id);
    }
    to.value(foreign_.size());
    for (const auto& [number, other] : foreign_) {
      to.number(number);
      to.name(other.name);
      to.value(other.wants);
      to.value(other.may_be_kept);
      to.value(other.is);
    }
    to.value(known_.has_value());
    if (known_) to.number(*known_);
    to.value(met_gap_);
    to.value(is_listing_);
    to.value(connection_);
    to.value(directory_watch_);
    to.value(creating_.entries);
    to.value(creating_.exclusive);
    to.order(order_);
    to.order(list_order_);
    to.value(is_pin_lost());
    to.value(lacks_list());
  }

 private:
  enum class connection : std::uint8_t { none, recovering, ready };
  enum class watch_state : std::uint8_t { none, asked, set };

  struct foreign {
    enum class state : std::uint8_t {
      unwatched,
      watched,
      /// Its node is gone, and may have been replaced by one with the same number: the next list
      /// tells.
      unconfirmed,
    };

    std::string name;
    role wants;
    /// Its client may not use it now.
    bool may_be_kept = false;
    state is = state::unwatched;
  };

  using foreign_entries = std::multimap<sequence, foreign>;

  /// Whether readers pass readers, so that writers are to be found without looking at readers.
  bool tells_roles() const noexcept { return policy_.may_be_replaced(role::exclusive); }
  /// Counts an entry of another client, and a writer, where there is any between two numbers.
  predecessors others_between(std::optional<sequence> first, sequence end) const noexcept;
  std::optional<sequence> conflicting_own_before(const entry& e) const noexcept;
  foreign_entries::iterator find(std::string_view name) noexcept;
  void erase(foreign_entries::iterator which);
  void erase_writer(foreign_entries::iterator which);
  bool is_pinned() const noexcept;

  const lock_policy policy_;
  const std::size_t look_ahead_;
  entry_groups own_;
  foreign_entries foreign_;
  // Where readers pass readers: the writers among them.
  std::multimap<sequence, foreign_entries::iterator> writers_;
  // No value: nothing is known. No number stands for that: children can have any, also negative
  // ones.
  std::optional<sequence> known_;
  // The last number did not follow what was known.
  bool met_gap_ = false;
  bool is_listing_ = false;
  connection connection_ = connection::none;
  watch_state directory_watch_ = watch_state::none;
  predecessors creating_;
  std::uint64_t order_ = 0;
  std::uint64_t list_order_ = 0;
  // When the pin was lost, in the order of creates and lists; 0 where it was not.
  std::uint64_t pin_lost_ = 0;
};

class line::scan {
 public:
  explicit scan(const line& of) noexcept : of_(of) {}

  /// Returns the next entry of ours that waits, or may be granted once more since it is cached;
  /// null where there is none. A cached entry that wants the same role follows once the entry
  /// before is granted.
  entry* next() noexcept;

  /// Looks which entries are before a number: entries of other clients, and entries of ours that
  /// hold or are cached.
  void reach(sequence number) noexcept;

  /// Adds an entry of ours that waits.
  void add(role wants) noexcept { waiting_.add(wants); }
  bool may_hold(role wants) const noexcept { return of_.policy_.may_hold(all(), wants); }
  bool blocks_all() const noexcept { return of_.policy_.blocks_all(all()); }

 private:
  // Only whether there are any counts.
  predecessors all() const noexcept {
    return {.entries = waiting_.entries + others_.entries,
            .exclusive = waiting_.exclusive + others_.exclusive};
  }

  const line& of_;
  predecessors waiting_;
  predecessors others_;
  std::optional<sequence> last_waiting_;
  std::array<const entry*, 2> last_cached_{};
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

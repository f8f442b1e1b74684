#pragma once

#include "queue/orphans.hpp"
#include "queue/own_entries.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace zklock::queue {

/// Grants the lock, creates the entries that are missing, and asks for what must be known first.
///
/// Invariant: after `advance` nothing may be granted that is not, and each acquisition that waits
/// has a request, a watch, or one before it to wait for.
class scheduler {
 public:
  /// All of these must live as long.
  scheduler(const settings& settings, line& line, waiters& waiters, permits& permits,
            own_entries& entries, const orphans& orphans, lock_cache& cache)
      : settings_(settings),
        line_(line),
        waiters_(waiters),
        permits_(permits),
        entries_(entries),
        orphans_(orphans),
        cache_(cache) {}

  /// Does what follows from an event.
  void advance(event_context& context);

  /// The parts of this that are needed where nothing can be granted: entries for those that wait,
  /// and an answer to those that try.
  void fill(event_context& context);
  void start_tries(event_context& context);

  /// The permits of an entry exist, and it is not granted yet.
  void note_replaced(entry_id id);

  /// Whether the first in line waits for permits.
  bool lacks_permits() const noexcept { return lacks_permits_; }

  /// Grants to those whose permits exist.
  void grant_replaced(event_context& context);

  // Requests.

  void list(event_context& context, action::kind how);
  void ask_limit(event_context& context);

  /// Has the session confirmed, and the node of an entry, unless that is asked for already.
  void confirm(event_context& context, const entry& e);

  /// The answer: returns the entry.
  entry_id end_confirm() noexcept;

  /// The directory, or one above it, is missing.
  void make_parents(event_context& context);
  void parents_made(bool exist) noexcept;
  void create_refused() noexcept { --uses_; }
  void directory_gone() noexcept { has_directory_ = false; }

  // What lists tell those that try.

  void answer_tries_by_line(event_context& context);
  /// A list was answered for which entries of tries have waited.
  void lose_patience() noexcept;
  void answer_tries_by_permits(event_context& context);

  // Refusals.

  void refuse(event_context& context, acquisition_id id, reason why);

  /// Requests whose failure ends the acquisitions that they were sent for.
  enum class request : std::uint8_t { list, permits, limit, parents, count_ };

  /// The newest acquisition when such a request was sent last.
  acquisition_id newest_at(request sent) const noexcept {
    return asked_[static_cast<std::size_t>(sent)];
  }

  /// Refuses those that do not hold and began no later than `newest`. The others ask again: an
  /// answer that is older than an acquisition tells it nothing.
  void refuse_until(event_context& context, acquisition_id newest, reason why);

  /// Refuses those that asked for more permits than there are before that was known. Where the
  /// limit is lowered later they wait for it to be raised.
  void refuse_above(event_context& context, std::uint32_t most);

  void disconnected() noexcept;

  // The budget: as the queue's.

  bool starved() const noexcept { return needs_room() != room_need::none; }
  room_need needs_room() const noexcept;
  bool has_surplus() const noexcept;
  bool drop_surplus(event_context& context);

  /// Gives all of it to `to`. Of the uses those count that can be taken back, and two.
  template <state_writer Writer>
  void describe(Writer& to) const {
    to.value(lacks_permits_);
    to.value(starved_);
    to.value(has_directory_);
    to.value(is_making_parents_);
    to.value(std::min<std::uint64_t>(uses_, entries_.all().size() + 2));
    to.entry(confirming_);
    const auto describe_newest = [&](bool is_in_flight, request sent) {
      to.value(is_in_flight ? waiters_.count_after(newest_at(sent)) : 0);
    };
    describe_newest(line_.is_listing(), request::list);
    describe_newest(permits_.is_listing(), request::permits);
    describe_newest(permits_.is_asking_limit(), request::limit);
    describe_newest(is_making_parents_, request::parents);
  }

 private:
  entry* create(event_context& context, lock_mode asked);
  void create_for_try(event_context& context, const attempts::attempt& one, std::uint8_t patience);
  void be_patient(event_context& context);
  void refuse_attempt(event_context& context, acquisition_id id, reason why);
  void grant(event_context& context);
  bool grant(event_context& context, entry& e);
  bool take(event_context& context, entry& e);
  void prepare(event_context& context);
  void watch_for_others(event_context& context);
  bool is_cache_in_the_way() const noexcept;
  bool enter_line(event_context& context, std::optional<acquisition_id> next);
  void list_permits(event_context& context);
  void note(request sent) noexcept { asked_[static_cast<std::size_t>(sent)] = waiters_.newest(); }

  const settings& settings_;
  line& line_;
  waiters& waiters_;
  permits& permits_;
  own_entries& entries_;
  const orphans& orphans_;
  lock_cache& cache_;

  // The first of ours, which is the first in line, waits for permits.
  bool lacks_permits_ = false;
  // An entry could not be created for want of room.
  bool starved_ = false;
  bool has_directory_ = false;
  bool is_making_parents_ = false;
  // Entries whose permits exist and may not be granted yet, and some entries that are granted or
  // gone.
  std::vector<entry_id> replaced_;
  // How many entries were created.
  std::uint64_t uses_ = 0;
  // Whose node the quorum is asked for; 0: it is not.
  entry_id confirming_ = 0;
  std::array<acquisition_id, static_cast<std::size_t>(request::count_)> asked_{};
};

/// Has the quorum check that the entries exist by which the lock was granted since `begin`, but for
/// the one that is `known` to.
void check_granted(event_context& context, std::size_t begin, entry_id known = 0);

} // namespace zklock::queue

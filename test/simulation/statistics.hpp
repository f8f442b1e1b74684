#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace simulation {

/// The kinds of events that are counted: a rule that no history exercises is not tested.
enum class seen : std::uint8_t {
  grant,
  grant_without_request,
  handed_over,
  foreign_hold,
  busy,
  given_up_waiting,
  given_up_disconnected,
  lost_to_expiry,
  lost_to_deletion,
  disconnection,
  carried_out_late,
  deposed_met,
  expiry,
  recovery,
  adoption,
  abandoned_adoption,
  shed,
  delete_sent_again,
  undone,
  tried_again,
  orphan,
  confirmation,
  missing_found,
  robbed_let_in,
  directory_gone,
  misled,
  misled_holds,
  directory_made_again,
  parents_made,
  list,
  watch,
  entry_event,
  directory_event,
  starved,
  made_room,
  exhausted,
  denied,
  left_behind,
  deleted_by_hand,
  stale_read,
  queue_forgotten,
  queue_remembered,
  steady_request,
  downgraded,
  not_downgraded,
  downgrade_given_back,
  foreign_downgrade,
  readers_together,
  taken,
  several_taken,
  holders_together,
  list_of_permits,
  list_of_the_cache,
  granted_from_cache,
  granted_fast,
  waited_fast,
  lent,
  lent_with_waiters,
  cached_evicted,
  release_requested,
  permits_adopted,
  permits_given_back_untold,
  orphan_permit,
  take_without_entry,
  take_without_directory,
  too_many,
  foreign_permit,
  foreign_permit_awaited,
  limit_changed,
  multi_held,
  multi_given_up,
  multi_begun_anew,
  multi_lost,
  multi_had_room,
  misnamed,
  renamed,
  count_
};

class statistics {
 public:
  void count(seen what) noexcept { ++counts_[static_cast<std::size_t>(what)]; }

  void add(const statistics& other) noexcept {
    for (std::size_t i = 0; i < counts_.size(); ++i)
      counts_[i] += other.counts_[i];
  }

  /// Prints all counts. Returns whether every kind of event that must happen did.
  bool report() const;

 private:
  std::array<std::uint64_t, static_cast<std::size_t>(seen::count_)> counts_{};
};

} // namespace simulation

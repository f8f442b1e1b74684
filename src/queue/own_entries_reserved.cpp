// What entries have of the room that callers of several locks have reserved. An acquisition may
// hold by an entry that was made for another one. So it counts how many nodes those want that have
// reserved room: as much of it is in use, in whichever entries.

#include "queue/own_entries.hpp"

#include <algorithm>

namespace zklock::queue {

// In entries that acquisitions without reserved room use now. It comes back with them, and until
// then others must not lack it.
std::size_t own_entries::count_in_other_hands() const noexcept {
  return reserved_ == 0 ? 0 : reserved_ - std::min(reserved_, waiters_.count_reserved());
}

bool own_entries::has_reserved_room(lock_mode asked) const noexcept {
  if (asked.reservation == 0) return false;
  const auto lacking = std::min<std::size_t>(asked.permits, count_in_other_hands());
  return budget_.has(settings_.entry_bytes * (asked.permits - lacking), asked.reservation) &&
         budget_.has(settings_.entry_bytes * lacking);
}

bool own_entries::take_reserved(lock_mode asked) noexcept {
  if (!has_reserved_room(asked)) return false;
  const auto lacking = std::min<std::size_t>(asked.permits, count_in_other_hands());
  budget_.take(settings_.entry_bytes * lacking);
  budget_.take(settings_.entry_bytes * (asked.permits - lacking), asked.reservation);
  reserved_ += asked.permits - lacking;
  return true;
}

void own_entries::give_back(std::uint32_t nodes) noexcept {
  std::size_t reserved = 0;
  if (reserved_ != 0) {
    std::size_t left = 0;
    for (const auto& [id, e] : all_)
      left += e.room;
    left = std::min(left - nodes, waiters_.count_reserved());
    reserved = std::min<std::size_t>(nodes, reserved_ - std::min(reserved_, left));
  }
  reserved_ -= reserved;
  if (reserved != 0) budget_.give_back_reserved(settings_.entry_bytes * reserved);
  if (reserved != nodes) budget_.give_back(settings_.entry_bytes * (nodes - reserved));
}

} // namespace zklock::queue

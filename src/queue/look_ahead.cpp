// Which predecessors are watched.

#include "queue/line.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace zklock::queue {

bool line::look_ahead(event_context& context, entry& e) {
  // Those before one of ours that conflicts are for that one to watch.
  const auto floor = conflicting_own_before(e);
  std::size_t seen = 0;
  std::size_t watched = 0;
  bool is_unconfirmed = false;
  std::vector<foreign_entries::iterator> unwatched;
  const auto look_at = [&](foreign_entries::iterator one) {
    if (one->first < floor) return false; // Never, where there is none.
    is_unconfirmed = one->second.is == foreign::state::unconfirmed;
    if (is_unconfirmed) return false;
    if (one->second.is == foreign::state::watched)
      ++watched;
    else
      unwatched.push_back(one);
    return ++seen < look_ahead_;
  };
  if (look_ahead_ == 0) return false;
  if (e.wants == role::shared && tells_roles()) {
    for (auto it = writers_.lower_bound(e.number); it != writers_.begin();)
      if (!look_at((--it)->second)) break;
  } else {
    for (auto it = foreign_.lower_bound(e.number); it != foreign_.begin();)
      if (!look_at(--it)) break;
  }
  if (is_unconfirmed) e.ahead = entry::plan::verifying;
  if (is_unconfirmed || unwatched.empty()) return is_unconfirmed;

  if (e.ahead == entry::plan::none) {
    e.ahead = entry::plan::made;
    for (const auto& it : unwatched) {
      it->second.is = foreign::state::watched;
      context.actions.push_back(
          {.what = action::kind::watch, .number = it->first, .name = it->second.name});
    }
    return false;
  }
  // Watching one more for each that goes would cost a request at each hand-over. Instead, with the
  // last one left, one list tells which else there are: as a rule none.
  if (watched > 1) return false;
  e.ahead = entry::plan::verifying;
  return true;
}

} // namespace zklock::queue

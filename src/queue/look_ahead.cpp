// Which predecessors are watched.

#include "queue/line.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace zklock::queue {

bool line::look_ahead(event_context& context, entry& e) {
  // Those before one of ours that conflicts are for that one to watch.
  std::optional<sequence> floor;
  for (auto it = own_.find(e.number); it != own_.begin();)
    if (--it; policy_.conflicts(it->second->wants, e.wants)) {
      floor = it->first;
      break;
    }

  std::size_t seen = 0;
  std::size_t watched = 0;
  std::vector<foreign_entries::iterator> unwatched;
  for (auto it = foreign_.lower_bound(e.number); it != foreign_.begin() && seen < look_ahead_;) {
    if ((--it)->first < floor) break; // Never, where there is none.
    if (!policy_.conflicts(it->second.wants, e.wants)) continue;
    if (it->second.is == foreign::state::unconfirmed) {
      e.ahead = entry::plan::verifying;
      return true;
    }
    ++seen;
    if (it->second.is == foreign::state::watched)
      ++watched;
    else
      unwatched.push_back(it);
  }
  if (unwatched.empty()) return false;

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

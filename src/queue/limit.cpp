// How many permits there are, where the servers are to be asked.

#include "queue/queue.hpp"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

namespace zklock::queue {

using kind = action::kind;

bool queue::knows_limit() const noexcept {
  return permits_.limit && !permits_.limit_is_old && !permits_.asking_limit;
}

void queue::ask_limit(event_context& context) {
  if (std::exchange(permits_.asking_limit, true)) return;
  context.actions.push_back({.what = kind::ask_limit});
}

void queue::limited(event_context& context, answer result, std::optional<std::uint32_t> value) {
  permits_.asking_limit = permits_.limit_is_old = false;
  if (result != answer::ok || !value) {
    permits_.limit.reset();
    const bool denied = result == answer::no_permission;
    return refuse_all(context, denied ? reason::no_permission : reason::bad_limit);
  }
  const bool first = !std::exchange(permits_.limit, value);
  if (first) compare_with_limit(context);
  start_tries(context);
  advance(context);
}

void queue::limit_changed(event_context& context) {
  if (!empty()) return ask_limit(context);
  permits_.limit.reset();
}

// Those who asked before the limit was known. Who asked for as many as there were waits for better
// times when it is lowered.
void queue::compare_with_limit(event_context& context) {
  const auto most = std::max(*permits_.limit, std::uint32_t{1});
  for (auto it = waiting_.begin(); it != waiting_.end();) {
    const auto [id, asked] = *it;
    it = asked.permits > most ? waiting_.erase(it) : std::next(it);
    if (asked.permits > most) refuse(context, id, reason::too_many_permits);
  }
  for (auto it = tries_.begin(); it != tries_.end();) {
    const auto [id, one] = *it;
    it = one.asked.permits > most ? tries_.erase(it) : std::next(it);
    if (one.asked.permits > most) refuse(context, id, reason::too_many_permits);
  }
  std::vector<acquisition_id> seated;
  for (const auto& all : seats_)
    for (const auto& [id, permits] : all.taken)
      if (permits > most) seated.push_back(id);
  for (const auto id : seated)
    leave_seat(context, {.what = kind::refuse, .why = reason::too_many_permits, .acquisition = id});
}

} // namespace zklock::queue

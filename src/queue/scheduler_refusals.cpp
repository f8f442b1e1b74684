// Acquisitions that cannot go on: they are refused, or wait for the budget.

#include "queue/scheduler.hpp"

#include <vector>

namespace zklock::queue {

using kind = action::kind;
using state = entry::state;

void scheduler::refuse(event_context& context, acquisition_id id, reason why) {
  context.actions.push_back({.what = kind::refuse, .why = why, .acquisition = id});
}

void scheduler::refuse_until(event_context& context, acquisition_id newest, reason why) {
  for (const auto id : waiters_.withdraw_until(newest))
    refuse(context, id, why);
  lacks_permits_ = false;
  std::vector<entry*> waiting;
  for (auto& [id, e] : entries_.all())
    if (e.waits()) waiting.push_back(&e);
  // The first of them were asked for before what is left came: it must not overtake by them.
  for (entry* const e : waiting) {
    if (!e->is_try()) {
      if (!waiters_.is_needed(e->wants)) entries_.drop(context, *e);
    } else if (e->acquisition <= newest && line_.own().contains(e->number)) {
      // The create of a try that is on its way has an answer of its own.
      entries_.vacate(context, *e, why);
      entries_.remove(context, *e);
    }
  }
  if (waiters_.count_after(newest) != 0) advance(context);
}

void scheduler::refuse_above(event_context& context, std::uint32_t most) {
  for (const auto id : waiters_.withdraw_above(most))
    refuse(context, id, reason::too_many_permits);
  for (const auto id : waiters_.in_line_above(most))
    entries_.leave_line(context,
                        {.what = kind::refuse, .why = reason::too_many_permits, .acquisition = id});
}

room_need scheduler::needs_room() const noexcept {
  if (!starved_ || !waiters_.is_any_waiting()) return room_need::none;
  return entries_.all().empty() ? room_need::first : room_need::more;
}

bool scheduler::has_surplus() const noexcept {
  if (entries_.is_any_leaving() || entries_.count_cached() != 0) return true;
  const entry* const last = line_.groups().last_waiting();
  return last && (permits_.is_any_taken() || last != line_.own().begin()->second);
}

// The last in line goes first. The first stays, since on it depends that the lock goes on; where
// permits of ours are held, it depends on those.
bool scheduler::drop_surplus(event_context& context) {
  if (entries_.is_any_leaving()) return true;
  if (entries_.count_cached() != 0) {
    entries_.drop_cached(context);
    return true;
  }
  for (entry* last = line_.groups().last_waiting(); last;
       last = line_.groups().last_waiting(last->number)) {
    entry& e = *last;
    if (&e == line_.own().begin()->second && !permits_.is_any_taken()) break;
    if (e.is != state::queued || e.is_try() || !entries_.frees_room(e)) continue;
    starved_ = true;
    entries_.drop(context, e);
    return true;
  }
  return false;
}

} // namespace zklock::queue

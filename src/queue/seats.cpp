// How acquisitions and entries meet and part.

#include "queue/queue.hpp"

#include <algorithm>
#include <iterator>

namespace zklock::queue {

using kind = action::kind;

namespace {

constexpr role other_than(role wants) noexcept {
  return wants == role::exclusive ? role::shared : role::exclusive;
}

} // namespace

// Tells somebody who waits that he does so no longer. His place in line is nobody else's: those of
// other clients who came after him move up. Returns whether there was one for him.
bool queue::leave_seat(event_context& context, const action& told) {
  for (const auto wants : {role::exclusive, role::shared}) {
    auto& taken = seats_of(wants).taken;
    const auto found = taken.find(told.acquisition);
    if (found == taken.end()) continue;
    const entry& e = seat(wants, std::distance(taken.begin(), found));
    taken.erase(found);
    context.actions.push_back(told);
    if (!needed(e)) drop(context, *find(e.id));
    return true;
  }
  return false;
}

void queue::give_up(event_context& context, acquisition_id id) {
  if (leave_seat(context, {.what = kind::forget, .acquisition = id})) return advance(context);
  if (waiting_.erase(id) != 0 || tries_.erase(id) != 0)
    context.actions.push_back({.what = kind::forget, .acquisition = id});
}

// The entry that is for whoever has so many before him. Entries get in line in the order in which
// they are asked for.
const entry& queue::seat(role wants, std::ptrdiff_t rank) const noexcept {
  const auto found = std::find_if(entries_.begin(), entries_.end(), [&](const auto& each) {
    const entry& e = each.second;
    const bool is_seat = e.wants == wants && !e.tries && !e.abandoned && e.permits == 0 &&
                         e.is != entry::state::held && e.is != entry::state::removing;
    return is_seat && rank-- == 0;
  });
  return found->second;
}

// Nobody needs it.
void queue::drop(event_context& context, entry& e) {
  vacate(context, e);
  if (e.is == entry::state::queued || e.is == entry::state::inspecting) return remove(context, e);
  e.abandoned = true;
  ++abandoned_;
}

// Only to the first who waits here: among themselves the acquisitions of a client keep their order.
// Not to readers: one that comes later, by an entry of its own, may hold beside this one and be
// done first. What held next by this entry would have a lower token than that.
bool queue::can_hand_over(const entry& e) noexcept {
  if (settings_.policy.holds_by_permits() || e.wants == role::shared || e.downgrading) return false;
  if (e.turn >= settings_.local_handoffs) return false;
  if (!seats_of(other_than(e.wants)).taken.empty()) return false;
  return !seats_of(e.wants).taken.empty() ||
         (!waiting_.empty() && waiting_.begin()->second.wants == e.wants);
}

// The entry is free again, and first in line: whoever is next holds by it. The entry that was
// meant for him is kept, since who gives a lock back often comes again at once.
void queue::hand_over(event_context& context, entry& e) {
  context.actions.push_back({.what = kind::forget, .acquisition = e.acquisition});
  e.acquisition = 0;
  e.is = entry::state::queued;
  ++e.turn;
  seats& all = seats_of(e.wants);
  ++all.all;
  ++all.spare;
}

// What was kept while it was handed over is needed no longer.
void queue::end_turns(entry& e) {
  if (e.turn != 0) seats_of(e.wants).spare = 0;
  e.turn = 0;
}

// It is for the first of those who wait for such an entry, or for who tries by it.
void queue::assign(entry& e) {
  if (e.tries) return;
  seats& all = seats_of(e.wants);
  e.acquisition = all.taken.begin()->first;
  all.taken.erase(all.taken.begin());
  --all.all;
  holders_.emplace(e.acquisition, &e);
}

void queue::stop_trying(entry& e) noexcept {
  if (e.tries) --tries_in_line_;
  e.tries = false;
}

// An entry that does not hold will not be there any more. The last of those for whom it could have
// been waits again, or is refused.
void queue::vacate(event_context& context, entry& e, reason why) {
  if (e.abandoned) {
    e.abandoned = false;
    --abandoned_;
    return;
  }
  if (e.tries) {
    const acquisition_id id = e.acquisition;
    holders_.erase(id);
    e.acquisition = 0;
    stop_trying(e);
    if (why == reason::none)
      tries_.emplace(id, attempt{.asked = {.wants = e.wants, .permits = e.wanted}});
    else
      refuse(context, id, why);
    return;
  }
  seats& all = seats_of(e.wants);
  --all.all;
  if (all.taken.size() > all.all) {
    const auto last = std::prev(all.taken.end());
    if (why == reason::none)
      waiting_.emplace(last->first, lock_mode{.wants = e.wants, .permits = last->second});
    else
      refuse(context, last->first, why);
    all.taken.erase(last);
  }
  all.spare = std::min(all.spare, all.free());
}

void queue::take_seats() {
  while (!waiting_.empty()) {
    const auto first = waiting_.begin();
    seats& all = seats_of(first->second.wants);
    if (all.free() == 0) return;
    all.taken.emplace_hint(all.taken.end(), first->first, first->second.permits);
    all.spare = std::min(all.spare, all.free());
    waiting_.erase(first);
  }
}

// Whether somebody waits for an entry of that kind, or is expected to.
bool queue::needed(const entry& e) noexcept {
  const seats& all = seats_of(e.wants);
  return e.tries || all.free() <= all.spare;
}

// Entries that nobody needs go, the last one first. Those on their way are seen to when they
// arrive. Returns whether there were any.
bool queue::shed(event_context& context) {
  bool any = false;
  for (auto it = own_.end(); it != own_.begin();) {
    entry& e = *(--it)->second;
    if (seats_of(role::exclusive).free() + seats_of(role::shared).free() == 0) break;
    if (e.is == entry::state::held || e.permits != 0 || needed(e)) continue;
    ++it;
    any = true;
    drop(context, e);
  }
  return any;
}

bool queue::may_borrow() const noexcept {
  return starved_ && entries_.empty() && !waiting_.empty() &&
         waiting_.begin()->second.permits == 1 && budget_.is_lendable(settings_.entry_bytes);
}

// The last in line goes first. The first stays, since on it depends that the lock goes on; but
// where it waits for room itself nothing goes on before the other one has its room.
bool queue::make_room(event_context& context, bool for_rest) {
  const bool room_is_coming = std::any_of(entries_.begin(), entries_.end(), [](const auto& each) {
    return each.second.is == entry::state::removing || each.second.abandoned;
  });
  if (room_is_coming) return true;
  for (auto it = own_.end(); it != own_.begin();) {
    entry& e = *(--it)->second;
    if (it == own_.begin() && !(for_rest && starved_taking_)) break;
    if (e.is != entry::state::queued || e.tries) continue;
    if (it == own_.begin()) {
      starved_taking_ = false;
      starved_ = true;
    }
    drop(context, e);
    return true;
  }
  return false;
}

void queue::fill(event_context& context) {
  if (!can_ask() || making_parents_) return;
  if (settings_.policy.holds_by_permits() && !knows_limit() && !empty()) ask_limit(context);
  starved_ = false;
  take_seats();
  while (!waiting_.empty() && unheld() < settings_.window && !starved_taking_) {
    const auto [id, asked] = *waiting_.begin();
    if (!create(context, asked)) return;
    waiting_.erase(waiting_.begin());
    seats& all = seats_of(asked.wants);
    ++all.all;
    all.taken.emplace_hint(all.taken.end(), id, asked.permits);
  }
}

} // namespace zklock::queue

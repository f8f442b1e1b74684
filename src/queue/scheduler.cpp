// What follows from an event: which entries may hold, what must be known of those before them.

#include "queue/scheduler.hpp"

#include <algorithm>
#include <utility>

namespace zklock::queue {

using kind = action::kind;
using state = entry::state;

void scheduler::advance(event_context& context) {
  if (!line_.can_ask()) return;
  if (is_cache_in_the_way()) {
    cache_.others_seen();
    entries_.drop_cached(context);
  }
  waiters_.match();
  grant_replaced(context);
  grant(context);
  start_tries(context);
  fill(context);
  // What is not needed may have stood before what is.
  if (entries_.shed(context)) grant(context);
  watch_for_others(context);
  be_patient(context);
  prepare(context);
}

// Walks the entries of ours that may be granted, from the front. An entry behind a number that is
// not known may not hold, even if entries before it are known to be gone.
void scheduler::grant(event_context& context) {
  line::scan before(line_);
  lacks_permits_ = false;
  if (!line_.is_first_ours()) permits_.set_count_known(false);
  while (entry* const next = before.next()) {
    entry& e = *next;
    // Where the first cannot have what it wants none behind it can, known or not.
    const bool stuck = lacks_permits_;
    const bool any_tries = waiters_.is_any_trying_in_line();
    before.reach(e.number);
    if (!line_.covers(e) || (before.blocks_all() && !any_tries)) {
      if (!stuck || !any_tries) return;
      before.add(e.wants);
    }
    // Those behind it wait for the answer: what enters first has the lower token.
    if (e.is == state::inspecting) return;
    const bool may_hold = before.may_hold(e.wants);
    if (e.is == state::cached) {
      if (may_hold && waiters_.first_in_line(e.wants) && entries_.reuse().can_grant(e))
        grant(context, e);
      continue;
    }
    if (e.is == state::queued) {
      // An entry that permits replace is only just passing by: tries wait for that.
      const bool hopeless = !settings_.policy.holds_by_permits() || stuck || !line_.is_first_ours();
      if ((may_hold && !grant(context, e)) ||
          (!may_hold && e.is_try() && hopeless && e.patience == 0)) {
        entries_.vacate(context, e, reason::busy);
        entries_.remove(context, e);
        continue;
      }
    }
    // What has no room for the permits that are wanted has left the line.
    const bool waits = e.is != state::held && !e.is_replacing() && !e.is_leaving();
    if (waits) before.add(e.wants);
  }
}

// Returns whether there is an acquisition to grant it to.
bool scheduler::grant(event_context& context, entry& e) {
  if (!e.is_try() && !waiters_.first_in_line(e.wants)) return false;
  if (settings_.policy.holds_by_permits()) return take(context, e);
  if (!context.proven) {
    confirm(context, e);
    return true;
  }
  entries_.hold(context, e);
  return true;
}

// Returns whether the entry is worth keeping.
bool scheduler::take(event_context& context, entry& e) {
  const bool tries = e.is_try();
  const std::uint32_t permits =
      tries ? waiters_.permits_of_try(e.acquisition) : *waiters_.first_in_line(e.wants);
  if (is_making_parents_ || !permits_.is_limit_known()) return true;
  if (!permits_.is_count_known()) {
    list_permits(context);
    return true;
  }
  if (!permits_.fit(permits)) {
    if (tries) return false;
    lacks_permits_ = true;
    if (!permits_.is_watched()) list_permits(context);
    return true;
  }
  if (!entries_.begin_permits(e, permits)) {
    if (tries) return false;
    entries_.pass_up(context, e);
    return true;
  }
  context.actions.push_back({.what = kind::take,
                             .wants = e.wants,
                             .entry = e.id,
                             .acquisition = e.acquisition,
                             .number = e.number,
                             .permits = permits});
  line_.leave();
  return true;
}

// Permits that replaced an entry are granted once the session is proven.
void scheduler::grant_replaced(event_context& context) {
  if (!settings_.policy.holds_by_permits()) return;
  while (!replaced_.empty()) {
    entry* const e = entries_.find(replaced_.front());
    if (e && e->is == state::granting && e->replaced.is_done()) {
      if (!context.proven) return confirm(context, *e);
      entries_.hold(context, *e);
    }
    replaced_.erase(replaced_.begin());
  }
}

void scheduler::note_replaced(entry_id id) {
  replaced_.insert(std::upper_bound(replaced_.begin(), replaced_.end(), id), id);
}

// Sees to it that the first two of ours that wait know what they wait for, so that nothing need be
// asked on the way from one holder to the next. Those behind them need not know yet: by the time
// they are second, one list serves all. An entry that holds knew that, and must know it again where
// the directory may be another one.
void scheduler::prepare(event_context& context) {
  if (line_.lacks_list() && line_.is_any_held_uncovered()) {
    if (!line_.is_listing()) list(context, kind::list);
    return;
  }
  int count = 0;
  for (entry* e = line_.groups().next_waiting(); e; e = line_.groups().next_waiting(e->number)) {
    if (e->is_replacing()) continue;
    if (++count > 2) return;
    if (!line_.covers(*e) || line_.look_ahead(context, *e)) {
      if (!line_.is_listing()) list(context, kind::list);
      return;
    }
  }
}

void scheduler::fill(event_context& context) {
  if (!line_.can_ask() || is_making_parents_) return;
  const bool idle = entries_.all().empty() && waiters_.empty() && orphans_.empty();
  if (settings_.policy.holds_by_permits() && !permits_.is_limit_known() && !idle)
    ask_limit(context);
  starved_ = false;
  waiters_.match();
  while (waiters_.is_any_waiting() && waiters_.entries_in_line() < settings_.window &&
         !entries_.reuse().serves_next(waiters_.waiting(waiters_.first_waiting()).wants)) {
    // An acquisition that has brought its room may be of a caller that holds other locks, for
    // which other callers wait: it does not wait behind acquisitions that wait for room.
    starved_ = !enter_line(context, waiters_.first_waiting()) &&
               !enter_line(context, waiters_.first_brought());
    if (starved_) return;
  }
}

bool scheduler::enter_line(event_context& context, std::optional<acquisition_id> next) {
  if (!next || !create(context, waiters_.waiting(*next))) return false;
  waiters_.enter_line(*next);
  return true;
}

entry* scheduler::create(event_context& context, lock_mode asked) {
  entry* const e = entries_.add(context, asked);
  if (!e) return nullptr;
  if (!std::exchange(has_directory_, true))
    context.actions.push_back({.what = kind::make_directory});
  context.actions.push_back({.what = kind::create, .wants = e->wants, .entry = e->id});
  // The session is first in, first out: a list sent right behind the create shows the new entry
  // and all before it.
  const bool is_alone = waiters_.entries_in_line() < 2;
  if (is_alone && line_.needs_list()) list(context, kind::list);
  // Where it turns out to be the first, the permits are known by then.
  if (settings_.policy.holds_by_permits() && is_alone && !permits_.is_count_known())
    list_permits(context);
  // A lock that is used once must not pay for what helps it only later.
  if (++uses_ >= 2 && line_.ask_directory_watch())
    context.actions.push_back({.what = kind::watch_directory});
  return e;
}

void scheduler::disconnected() noexcept {
  lacks_permits_ = false;
  is_making_parents_ = false;
  confirming_ = 0;
}

} // namespace zklock::queue

// What follows from an event: who may hold, what must be known of those before us, who gets in
// line.

#include "queue/queue.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <vector>

namespace zklock::queue {

using kind = action::kind;

void queue::advance(event_context& context) {
  if (!can_ask()) return;
  take_seats();
  grant_taken(context);
  grant(context);
  start_tries(context);
  fill(context);
  // What nobody needs may have stood before what somebody does.
  if (shed(context)) grant(context);
  prepare(context);
}

// Walks those in line from the front. Who comes behind a number that we do not know about may not
// hold, whoever is known to be gone.
void queue::grant(event_context& context) {
  predecessors before;
  auto other = foreign_.begin();
  blocked_ = starved_taking_ = false;
  if (!first_in_line()) permits_.known = false;
  for (auto it = own_.begin(); it != own_.end();) {
    entry& e = *(it++)->second;
    // Where the first one cannot take what he wants nobody else can, known or not.
    const bool stuck = settings_.policy.holds_by_permits() && (blocked_ || starved_taking_);
    if (!covered(e) || (settings_.policy.blocks_all(before) && tries_in_line_ == 0)) {
      if (!stuck || tries_in_line_ == 0) return;
      before.add(e.wants);
    }
    for (;
         other != foreign_.end() && other->first < e.number && !settings_.policy.blocks_all(before);
         ++other)
      before.add(other->second.wants);
    // Those behind it wait for the answer: what enters first has the lower token.
    if (e.is == entry::state::inspecting) return;
    if (e.is == entry::state::queued) {
      const bool admitted = settings_.policy.may_hold(before, e.wants);
      // Who takes permits is only just passing by: tries wait for that.
      const bool hopeless =
          !settings_.policy.holds_by_permits() || blocked_ || starved_taking_ || !first_in_line();
      if ((admitted && !grant(context, e)) || (!admitted && e.tries && hopeless)) {
        vacate(context, e, reason::busy);
        remove(context, e);
        continue;
      }
    }
    if (e.is != entry::state::taking) before.add(e.wants);
  }
}

// Returns whether there is somebody to grant it to.
bool queue::grant(event_context& context, entry& e) {
  if (!e.tries && seats_of(e.wants).taken.empty()) return false;
  if (settings_.policy.holds_by_permits()) return take(context, e);
  if (!context.proven) {
    confirm(context, e);
    return true;
  }
  assign(e);
  hold_by(context, e);
  return true;
}

void queue::hold_by(event_context& context, entry& e) {
  stop_trying(e);
  e.is = entry::state::held;
  context.actions.push_back({.what = kind::grant,
                             .wants = e.wants,
                             .entry = e.id,
                             .acquisition = e.acquisition,
                             .number = e.number,
                             .czxid = e.czxid,
                             .turn = e.turn,
                             .permits = e.permits});
}

void queue::confirm(event_context& context, const entry& e) {
  if (confirming_ == 0)
    context.actions.push_back({.what = kind::confirm,
                               .wants = e.wants,
                               .entry = e.id,
                               .number = e.number,
                               .permits = e.permits});
  if (confirming_ == 0) confirming_ = e.id;
}

// An entry that was deleted by others while it waited is missed as soon as the answer is here; and
// with the entry goes what is known, so that nothing else is granted before the next list. That is
// to be one request with the delete that lets others in, if there is one. An entry that is handed
// over is looked at from time to time, as while it was held.
void queue::check_granted(event_context& context, std::size_t begin, entry_id known) {
  // Few enough to stay far below what the servers accept in one packet.
  constexpr std::size_t checks_at_once = 16;
  auto& actions = context.actions;
  const auto end = actions.size();
  auto to = end;
  for (auto i = begin; i < end; ++i)
    if (actions[i].what == kind::remove) to = i;
  for (auto i = begin; i < end; ++i) {
    const action& told = actions[i];
    if (told.what != kind::grant || told.turn != 0 || told.entry == known) continue;
    const named_entry granted{.entry = told.entry, .wants = told.wants, .number = told.number};
    if (to == actions.size() || actions[to].checks.size() == checks_at_once) {
      to = actions.size();
      actions.push_back({.what = kind::check});
    }
    actions[to].checks.push_back(granted);
  }
}

// Sees to it that the first two of ours who wait know whom they wait for, so that no question
// need be asked on the way from one holder to the next. Those behind them need not know yet: by
// the time they are second, one list serves all.
void queue::prepare(event_context& context) {
  int count = 0;
  for (auto it = own_.begin(); it != own_.end() && count < 2; ++it) {
    entry& e = *it->second;
    if (e.is == entry::state::held || e.is == entry::state::taking) continue;
    ++count;
    if (covered(e) ? look_ahead(context, e) : true) {
      if (!listing_) list(context, kind::list);
      return;
    }
  }
}

// Watches those right before an entry. Returns whether a list is needed.
bool queue::look_ahead(event_context& context, entry& e) {
  // Who is before one of ours that bars us is that one's business.
  std::optional<sequence> floor;
  for (auto it = own_.find(e.number); it != own_.begin();)
    if (--it; settings_.policy.conflicts(it->second->wants, e.wants)) {
      floor = it->first;
      break;
    }

  std::size_t seen = 0;
  std::size_t watched = 0;
  std::vector<foreign_map::iterator> unwatched;
  for (auto it = foreign_.lower_bound(e.number);
       it != foreign_.begin() && seen < settings_.look_ahead;) {
    if ((--it)->first < floor) break; // Never, where there is none.
    if (!settings_.policy.conflicts(it->second.wants, e.wants)) continue;
    if (it->second.unsure) {
      e.ahead = entry::plan::verifying;
      return true;
    }
    ++seen;
    if (it->second.watched)
      ++watched;
    else
      unwatched.push_back(it);
  }
  if (unwatched.empty()) return false;

  if (e.ahead == entry::plan::none) {
    e.ahead = entry::plan::made;
    for (const auto& it : unwatched) {
      it->second.watched = true;
      context.actions.push_back(
          {.what = kind::watch, .number = it->first, .name = it->second.name});
    }
    return false;
  }
  // Watching one more for each that goes would cost a request at each hand-over. Instead, with the
  // last one left, ask once who else is: as a rule nobody.
  if (watched > 1) return false;
  e.ahead = entry::plan::verifying;
  return true;
}

void queue::list(event_context& context, action::kind how) {
  listing_ = true;
  list_sent_ = ++sent_;
  context.actions.push_back({.what = how});
}

predecessors queue::ours() const noexcept {
  predecessors before = creating_;
  for (const auto& [number, e] : own_)
    before.add(e->wants);
  return before;
}

void queue::start_tries(event_context& context) {
  if (tries_.empty() || !can_ask() || making_parents_) return;
  if (settings_.policy.holds_by_permits() && !knows_limit()) return ask_limit(context);
  const predecessors before = ours();
  for (auto it = tries_.begin(); it != tries_.end();) {
    auto& [id, one] = *it;
    const bool free = settings_.policy.holds_by_permits()
                          ? !blocked_
                          : settings_.policy.may_hold(before, one.asked.wants);
    if (!one.probing && (!waiting_.empty() || !free)) {
      refuse(context, id, reason::busy);
      it = tries_.erase(it);
      continue;
    }
    // A list that is in flight already may show what was before the try began.
    if (!one.probing) one.sent = sent_ + 1;
    one.probing = true;
    ++it;
  }
  if (tries_.empty()) return;
  if (settings_.policy.holds_by_permits())
    list_permits(context);
  else if (!listing_)
    list(context, kind::list);
}

} // namespace zklock::queue

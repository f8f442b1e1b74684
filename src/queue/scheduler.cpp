#include "queue/scheduler.hpp"

#include "queue/line_scan.hpp"

#include <algorithm>
#include <array>

namespace zklock::queue {

using kind = action::kind;
using state = entry::state;

void scheduler::advance(event_context& context) {
  if (!line_.channel().can_send()) return;
  if (is_cache_in_the_way()) {
    cache_.others_seen();
    life_.evict(context);
  }
  grant_replaced(context);
  grant(context);
  tries_.start(context);
  fill(context);
  // An entry that was not needed may have stood before an entry that may hold now.
  if (life_.shed(context)) grant(context);
  watch_for_others(context);
  tries_.be_patient(context);
  prepare(context);
}

void scheduler::evict(event_context& context) {
  const auto begin = context.actions.size();
  life_.evict(context);
  advance(context);
  check_granted(context, begin);
}

// Walks the entries of ours that may be granted, from the front. An entry behind a number that is
// not known may not hold, even if entries before it are known to be gone.
void scheduler::grant(event_context& context) {
  line_scan before(line_);
  permits_.set_lacking(false);
  if (!line_.is_first_ours()) permits_.set_count_known(false);
  while (entry* const next = before.next()) {
    entry& e = *next;
    // Permits that are lacking for the first in line are lacking for the entries behind it.
    const bool stuck = permits_.is_lacking();
    const bool any_tries = entries_.is_any_trying_in_line();
    before.reach(e.number);
    if (!line_.covers(e) || (before.blocks_all() && !any_tries)) {
      if (!stuck || !any_tries) return;
      before.add(e.wants);
    }
    // The entries behind wait for the reply: the entry that is granted first has the lower token.
    if (e.is == state::inspecting) return;
    const bool may_hold = before.may_hold(e.wants);
    if (e.is == state::cached) {
      if (may_hold && demands_.first(e.wants) && life_.reuse().can_grant(e)) grant(context, e);
      continue;
    }
    if (e.is == state::queued) {
      // An entry that permits replace leaves the line at once: tries wait for that.
      const bool hopeless = !settings_.policy.holds_by_permits() || stuck || !line_.is_first_ours();
      if ((may_hold && !grant(context, e)) ||
          (!may_hold && e.is_try() && hopeless && e.patience == 0)) {
        life_.vacate(context, e, reason::busy);
        life_.remove(context, e);
        continue;
      }
    }
    const bool waits = e.is != state::held && !e.is_replacing();
    if (waits) before.add(e.wants);
  }
}

// Returns whether there is an acquisition that the entry can be granted to.
bool scheduler::grant(event_context& context, entry& e) {
  if (!e.is_own() && !demands_.first(e.wants)) return false;
  if (settings_.policy.holds_by_permits()) return take(context, e);
  if (!context.proven) {
    requests_.confirm(context, e);
    return true;
  }
  life_.hold(context, e);
  return true;
}

// Returns whether the entry stays in line or is being replaced: a try does not wait for permits.
bool scheduler::take(event_context& context, entry& e) {
  const bool tries = e.is_try();
  const auto permits = e.is_own() ? e.asked.permits : demands_.first(e.wants)->asked.permits;
  if (requests_.is_making_parents() || !permits_.is_limit_known()) return true;
  if (!permits_.is_count_known()) {
    requests_.list_permits(context);
    return true;
  }
  if (!permits_.fit(permits)) {
    if (tries) return false;
    permits_.set_lacking(true);
    if (!permits_.is_watched()) requests_.list_permits(context);
    return true;
  }
  if (!e.is_own() && !entries_.cover_room()) return true;
  life_.begin_permits(e);
  context.actions.push_back({.what = kind::take,
                             .wants = e.wants,
                             .entry = e.id,
                             .number = e.number,
                             .permits = permits,
                             .identity = e.asked.identity});
  line_.leave();
  return true;
}

// Permits that replaced an entry are granted once the session is proven.
void scheduler::grant_replaced(event_context& context) {
  if (!settings_.policy.holds_by_permits()) return;
  while (const auto id = permits_.first_replaced()) {
    entry* const e = entries_.find(*id);
    if (e && e->is == state::granting && e->replaced.is_done()) {
      if (!context.proven) return requests_.confirm(context, *e);
      life_.hold(context, *e);
    }
    permits_.forget_replaced();
  }
}

// Arms the watches of our first two waiting entries, so that no request is needed between a holder
// and the next. Later entries need no watch yet: by the time they are second, a single list serves
// them all. The predecessors of a held entry were known; they must be known again if the directory
// may have been created again.
void scheduler::prepare(event_context& context) {
  if (line_.lacks_list() && line_.is_any_held_uncovered()) {
    if (!line_.channel().is_listing()) requests_.list(context, kind::list);
    return;
  }
  int count = 0;
  for (entry* e = line_.groups().next_waiting(); e; e = line_.groups().next_waiting(e->number)) {
    if (e->is_replacing()) continue;
    if (++count > 2) return;
    if (!line_.covers(*e) || line_.look_ahead(context, *e)) {
      if (!line_.channel().is_listing()) requests_.list(context, kind::list);
      return;
    }
  }
}

void scheduler::fill(event_context& context) {
  if (!line_.channel().can_send() || requests_.is_making_parents()) return;
  if (settings_.policy.holds_by_permits() && !permits_.is_limit_known() && !is_idle())
    requests_.ask_limit(context);
  starved_ = false;
  while (const auto next = demands_.next()) {
    if (entries_.count_in_line() >= settings_.max_entries) return;
    if (life_.reuse().serves_next(next->asked.wants)) return;
    starved_ = !create_next(context, *next);
    if (starved_) return;
  }
}

// An acquisition that has brought its room may be of a caller that holds other locks, for which
// other callers wait: it does not wait behind acquisitions that wait for room.
bool scheduler::create_next(event_context& context, const demand& next) {
  entry* e = entries_.add(context, next);
  const auto brought = e ? std::nullopt : demands_.next_brought();
  if (brought) {
    demands_.remove(brought->id);
    e = entries_.add_own(context, *brought, false);
    // Its room is in an entry that is leaving.
    if (!e) demands_.add_again(*brought);
  }
  if (e) requests_.create(context, *e);
  return e != nullptr;
}

// A cached entry is granted again, and an entry is handed over without a limit, only while no other
// client is known to want the lock. The queue asks while the entry is held, so that the reply is
// here when the entry is released.
void scheduler::watch_for_others(event_context& context) {
  if (cache_.is_watched() || cache_.is_arming() || line_.channel().is_listing()) return;
  if (entries_.count_cached() == 0 && !life_.reuse().is_worth_watching()) return;
  cache_.arm();
  life_.watch_data(context);
  requests_.list(context, kind::list_and_watch);
}

// A cached entry is evicted where another client wants the lock, or an acquisition of ours needs
// another entry.
bool scheduler::is_cache_in_the_way() const noexcept {
  if (line_.others().size() > settings_.most_readers) return true;
  if (entries_.count_cached() != 0 && (entries_.is_any_own() || demands_.is_any_named()))
    return true;
  for (const auto cached : {role::exclusive, role::shared}) {
    if (!entries_.find_cached(cached)) continue;
    if (line_.others().conflict(cached)) return true;
    const auto other = cached == role::exclusive ? role::shared : role::exclusive;
    if (demands_.is_any_wanting(other) && settings_.policy.conflicts(cached, other)) return true;
  }
  return false;
}

void scheduler::refuse_until(event_context& context, demand_id newest, reason why) {
  for (const auto id : demands_.take_until(newest))
    context.actions.push_back({.what = kind::refuse, .why = why, .demand = id});
  permits_.set_lacking(false);
  std::vector<entry*> waiting;
  for (auto& [id, e] : entries_.all())
    if (e.waits()) waiting.push_back(&e);
  // A remaining acquisition must not overtake by an entry that was created before the acquisition
  // came. It may want more permits than there is room for.
  std::array<std::size_t, 2> before{};
  for (entry* const e : waiting) {
    if (!e->is_own()) {
      auto& its = before[static_cast<std::size_t>(e->wants)];
      const auto to = demands_.at({.wants = e->wants, .before = its});
      const bool serves = to && *to <= e->newest && entries_.cover_room();
      serves ? static_cast<void>(++its) : life_.drop(context, *e);
    } else if (e->assigned <= newest && line_.own().contains(e->number)) {
      // The create for a certain acquisition has an answer of its own.
      life_.vacate(context, *e, why);
      life_.remove(context, *e);
    }
  }
  if (demands_.count_after(newest) != 0) advance(context);
}

void scheduler::refuse_above(event_context& context, std::uint32_t most) {
  for (const auto id : demands_.above(most)) {
    context.actions.push_back(
        {.what = kind::refuse, .why = reason::too_many_permits, .demand = id});
    life_.withdraw(context, id);
  }
}

room_need scheduler::needs_room() const noexcept {
  if (!starved_ || !demands_.is_any_waiting()) return room_need::none;
  return entries_.all().empty() ? room_need::first : room_need::more;
}

bool scheduler::has_surplus() const noexcept {
  if (entries_.is_any_leaving() || entries_.count_cached() != 0) return true;
  const entry* const last = line_.groups().last_waiting();
  return last && (permits_.is_any_taken() || last != line_.own().begin()->second);
}

// The last in line goes first. The first stays, so that the lock can be granted; if permits of ours
// are held, the lock can be granted once they are released.
bool scheduler::drop_surplus(event_context& context) {
  if (entries_.is_any_leaving()) return true;
  if (entries_.count_cached() != 0) {
    life_.evict(context);
    return true;
  }
  for (entry* last = line_.groups().last_waiting(); last;
       last = line_.groups().last_waiting(last->number)) {
    entry& e = *last;
    if (&e == line_.own().begin()->second && !permits_.is_any_taken()) break;
    if (e.is != state::queued || e.is_own() || !entries_.frees_room(e)) continue;
    starved_ = true;
    life_.drop(context, e);
    return true;
  }
  return false;
}

// The reply tells if other clients deleted an entry while it waited. Then the knowledge of the line
// is void, so that nothing else is granted before the next list. The check is part of the
// transaction that deletes the released entry and so lets other clients in, if there is any. An
// entry that is handed over was checked before, and permits were created just before they are
// granted: both are checked from time to time, as long as they are held.
void check_granted(event_context& context, std::size_t begin, entry_id known) {
  // So few checks stay far below the limit of the servers for a packet.
  constexpr std::size_t checks_at_once = 16;
  auto& actions = context.actions;
  const auto end = actions.size();
  auto to = end;
  for (auto i = begin; i < end; ++i)
    if (actions[i].what == kind::remove) to = i;
  for (auto i = begin; i < end; ++i) {
    const action& told = actions[i];
    if (told.what != kind::grant || told.permits != 0 || told.turn != 0 || told.entry == known)
      continue;
    const named_entry granted{.entry = told.entry, .wants = told.wants, .number = told.number};
    if (to == actions.size() || actions[to].checks.size() == checks_at_once) {
      to = actions.size();
      actions.push_back({.what = kind::check});
    }
    actions[to].checks.push_back(granted);
  }
}

} // namespace zklock::queue

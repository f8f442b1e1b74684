// How whoever is first in line takes permits, and what is known of those that are taken.
//
// Only who is first in line takes any, so that while that is one of ours the number of those that
// others have can only shrink.

#include "queue/queue.hpp"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

namespace zklock::queue {

using kind = action::kind;

bool queue::first_in_line() const noexcept {
  if (own_.empty() || !covered(*own_.begin()->second)) return false;
  return foreign_.empty() || foreign_.begin()->first > own_.begin()->first;
}

bool queue::fits(std::uint32_t permits) const noexcept {
  return permits_.others + permits_.own + permits <= *permits_.limit;
}

// Returns whether the entry is worth keeping.
bool queue::take(event_context& context, entry& e) {
  seats& all = seats_of(e.wants);
  const std::uint32_t permits = e.tries ? e.wanted : all.taken.begin()->second;
  if (making_parents_ || !knows_limit()) return true;
  if (!permits_.known) {
    list_permits(context);
    return true;
  }
  if (!fits(permits)) {
    if (e.tries) return false;
    blocked_ = true;
    if (!permits_.watched) list_permits(context);
    return true;
  }
  // The first takes the place of the entry.
  if (!budget_.take(settings_.entry_bytes * (permits - 1))) {
    if (e.tries) return false;
    starved_taking_ = true;
    return true;
  }
  assign(e);
  e.is = entry::state::taking;
  e.permits = permits;
  permits_.own += permits;
  context.actions.push_back({.what = kind::take,
                             .wants = e.wants,
                             .entry = e.id,
                             .acquisition = e.acquisition,
                             .number = e.number,
                             .permits = permits});
  weigh_anchor();
  return true;
}

void queue::taken(event_context& context, entry_id id, answer result, bool no_entry,
                  std::int64_t czxid) {
  entry* const found = find(id);
  if (!found || found->is != entry::state::taking) return;
  entry& e = *found;
  if (result == answer::ok) {
    own_.erase(e.number);
    e.is = entry::state::taken;
    e.czxid = czxid;
    if (e.given_back) remove(context, e);
  } else if (result == answer::no_node && no_entry) {
    lose_node(context, e);
    // It may have been the only thing that kept the directory.
    forget_others();
  } else if (result == answer::no_node) {
    // The directory of the permits is not there.
    untake(context, e);
    if (!making_parents_) context.actions.push_back({.what = kind::make_parents});
    making_parents_ = true;
    return;
  } else {
    refuse_taking(context, e, to_reason(result));
    return_permits(e);
    remove(context, e);
  }
  advance(context);
}

// Those who hold permits are told once the session is proven.
void queue::grant_taken(event_context& context) {
  if (!settings_.policy.holds_by_permits()) return;
  for (auto& [id, e] : entries_) {
    if (e.is != entry::state::taken) continue;
    if (!context.proven) return confirm(context, e);
    hold_by(context, e);
  }
}

// There are none, and there will not be.
void queue::return_permits(entry& e) noexcept {
  permits_.own -= e.permits;
  budget_.give_back(settings_.entry_bytes * (e.permits - 1));
  e.permits = 0;
}

// Given up while the answer was on its way: it decides what is to be deleted.
void queue::give_back_taking(entry& e) {
  holders_.erase(e.acquisition);
  stop_trying(e);
  e.given_back = true;
}

void queue::leave_taking(entry& e) {
  wait_again(e);
  return_permits(e);
}

// Whoever it was for: in the place of the last of those who have one, if they came later.
void queue::wait_again(entry& e) {
  const lock_mode asked{.wants = e.wants, .permits = e.permits};
  if (e.given_back) return;
  holders_.erase(e.acquisition);
  if (e.tries) {
    tries_.emplace(e.acquisition, attempt{.asked = asked});
  } else {
    auto& seated = seats_of(e.wants).taken;
    if (seated.empty() || seated.rbegin()->first < e.acquisition) {
      waiting_.emplace(e.acquisition, asked);
    } else {
      const auto last = std::prev(seated.end());
      waiting_.emplace(last->first, lock_mode{.wants = e.wants, .permits = last->second});
      seated.erase(last);
      seated.emplace(e.acquisition, asked.permits);
    }
  }
  stop_trying(e);
  e.acquisition = 0;
}

void queue::refuse_taking(event_context& context, entry& e, reason why) {
  if (e.given_back) return;
  holders_.erase(e.acquisition);
  stop_trying(e);
  refuse(context, std::exchange(e.acquisition, 0), why);
}

// It is in line as before. Those who came earlier may have lost their places meanwhile.
void queue::untake(event_context& context, entry& e) {
  const auto permits = e.permits;
  return_permits(e);
  e.is = entry::state::queued;
  if (e.given_back) return remove(context, e);
  if (e.tries) return;
  holders_.erase(e.acquisition);
  waiting_.emplace(std::exchange(e.acquisition, 0),
                   lock_mode{.wants = e.wants, .permits = permits});
  ++seats_of(e.wants).all;
  take_seats();
}

void queue::missing_permit(event_context& context, entry& e) {
  if (e.is == entry::state::held)
    lose(context, e, reason::entry_deleted);
  else
    wait_again(e);
  // Some of several may be left.
  if (e.permits > 1)
    remove(context, e);
  else
    forget(context, e);
}

} // namespace zklock::queue

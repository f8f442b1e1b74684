// How an entry goes from one state to the next.

#include "queue/queue.hpp"

#include <algorithm>
#include <vector>

namespace zklock::queue {

using kind = action::kind;

entry* queue::create(event_context& context, lock_mode asked) {
  const role wants = asked.wants;
  // What is lent is for locks that have nothing: all others go on with what they have. One that
  // wants several permits would only wait for the rest of them.
  bool lent = false;
  if (!budget_.take(settings_.entry_bytes)) {
    lent = asked.permits == 1 && entries_.empty() && budget_.borrow(settings_.entry_bytes);
    starved_ = !lent;
    if (!lent) return nullptr;
  }
  if (directory_ == presence::absent) {
    directory_ = presence::present;
    context.actions.push_back({.what = kind::make_directory});
  }
  const entry_id id = ++context.last_entry;
  const auto made = entries_.emplace_hint(
      entries_.end(), id, entry{.id = id, .wants = wants, .lent = lent, .sent = ++sent_});
  creating_.add(wants);
  context.actions.push_back({.what = kind::create, .wants = wants, .entry = id});
  // The session is first in, first out: a list sent right behind the create shows the new entry
  // and all before it.
  if (!listing_ && unheld() < 2 && (!known_ || met_gap_)) list(context, kind::list);
  // Where it turns out to be the first, the permits are known by then.
  if (settings_.policy.holds_by_permits() && unheld() < 2 && !permits_.known) list_permits(context);
  // A lock that is used once must not pay for what helps it only later.
  if (++uses_ >= 2 && directory_watch_ == presence::absent) {
    directory_watch_ = presence::asked;
    context.actions.push_back({.what = kind::watch_directory});
  }
  return &made->second;
}

void queue::refuse(event_context& context, acquisition_id id, reason why) {
  context.actions.push_back({.what = kind::refuse, .why = why, .acquisition = id});
}

// Its number is known now. Returns whether it is in line.
bool queue::arrive(event_context& context, entry& e, entry::state is) {
  // Whoever has the number already had it in a directory that is no more.
  if (const auto it = own_.find(e.number); it != own_.end()) {
    // What it was to be replaced by shows in the list of permits.
    if (it->second->is == entry::state::taking)
      own_.erase(it);
    else
      lose_node(context, *it->second);
  }
  // Others may have been first meanwhile.
  if (own_.empty()) permits_.known = false;
  const bool counts = e.number >= 0 && e.number <= last_number;
  if (counts && !e.abandoned) {
    e.is = is;
    own_.emplace_hint(own_.end(), e.number, &e);
    return true;
  }
  vacate(context, e, reason::sequence_exhausted);
  remove(context, e);
  return false;
}

void queue::refuse_all(event_context& context, reason why) {
  for (const auto& [id, wants] : waiting_)
    refuse(context, id, why);
  for (const auto& [id, one] : tries_)
    refuse(context, id, why);
  waiting_.clear();
  tries_.clear();
  blocked_ = starved_taking_ = false;
  for (auto& each : seats_) {
    for (const auto& [id, permits] : each.taken)
      refuse(context, id, why);
    each.taken.clear();
    each.spare = 0;
  }
  std::vector<entry*> unheld;
  for (auto& [id, e] : entries_)
    if (!e.abandoned && e.permits == 0 && e.is != entry::state::held &&
        e.is != entry::state::removing)
      unheld.push_back(&e);
  for (entry* const e : unheld) {
    if (!e->tries) {
      drop(context, *e);
    } else if (own_.contains(e->number)) {
      // The create of a try that is on its way has an answer of its own.
      vacate(context, *e, why);
      remove(context, *e);
    }
  }
}

void queue::lose(event_context& context, entry& e, reason why) {
  context.actions.push_back({.what = kind::lose, .why = why, .acquisition = e.acquisition});
  holders_.erase(e.acquisition);
  e.acquisition = 0;
}

void queue::lose_node(event_context& context, entry& e) {
  own_.erase(e.number);
  // Others may have been first meanwhile, and have taken permits.
  permits_.known = false;
  if (e.is == entry::state::held)
    lose(context, e, reason::entry_deleted);
  else if (e.is == entry::state::taking)
    leave_taking(e);
  else
    vacate(context, e);
  forget(context, e);
}

// The directory was deleted, and so were all in line, by somebody who deletes the entries of
// others: while ours are in it, nobody else can.
void queue::clear_line(event_context& context) {
  while (!own_.empty())
    lose_node(context, *own_.begin()->second);
  forget_others();
}

void queue::remove(event_context& context, entry& e) {
  if (const auto it = own_.find(e.number); it != own_.end() && it->second == &e) own_.erase(it);
  if (e.is != entry::state::removing) permits_.own -= e.permits;
  e.is = entry::state::removing;
  end_turns(e);
  // What is not sent now is seen to when the list of the recovery is here, or when it is known what
  // the node is called.
  if (can_ask() && !e.downgrading) send_remove(context, e);
  weigh_anchor();
}

// Nothing is left of it.
void queue::forget(event_context& context, entry& e, reason why) {
  if (e.acquisition != 0)
    context.actions.push_back({.what = kind::forget, .why = why, .acquisition = e.acquisition});
  end_turns(e);
  if (e.is != entry::state::removing) permits_.own -= e.permits;
  budget_.give_back(settings_.entry_bytes * std::max<std::size_t>(e.permits, 1));
  if (e.lent) budget_.repay(settings_.entry_bytes);
  entries_.erase(e.id);
}

} // namespace zklock::queue

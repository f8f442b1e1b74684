// What follows from an event: who may hold, what must be known of those before us, who gets in
// line.

#include "queue/queue.hpp"

#include <algorithm>
#include <iterator>
#include <vector>

namespace zklock::queue {

using kind = action::kind;

void queue::advance(step step) {
  if (!can_ask()) return;
  grant(step);
  start_tries(step);
  fill(step);
  prepare(step);
}

// Walks those in line from the front. Who comes behind a number that we do not know about may not
// hold, whoever is known to be gone.
void queue::grant(step step) {
  ahead before;
  auto other = foreign_.begin();
  for (auto it = own_.begin(); it != own_.end();) {
    entry& e = *(it++)->second;
    if (!covered(e) || (rule_.closed(before) && tries_in_line_ == 0)) return;
    for (; other != foreign_.end() && other->first < e.number && !rule_.closed(before); ++other)
      before.pass(other->second.wants);
    if (e.is == entry::state::queued) {
      if (rule_.admits(before, e.wants)) {
        grant(step, e);
      } else if (e.tries) {
        refuse(step, e, reason::busy);
        leave_line(e);
        remove(step, e);
        continue;
      }
    }
    before.pass(e.wants);
  }
}

void queue::grant(step step, entry& e) {
  if (!step.proven) {
    if (!confirming_)
      step.actions.push_back(
          {.what = kind::confirm, .wants = e.wants, .entry = e.id, .number = e.number});
    confirming_ = true;
    return;
  }
  e.is = entry::state::held;
  --unheld_;
  tries_in_line_ -= e.tries;
  step.actions.push_back(
      {.what = kind::grant, .entry = e.id, .number = e.number, .czxid = e.czxid});
}

// Sees to it that the first two of ours who wait know whom they wait for, so that no question
// need be asked on the way from one holder to the next. Those behind them need not know yet: by
// the time they are second, one list serves all.
void queue::prepare(step step) {
  int count = 0;
  for (auto it = own_.begin(); it != own_.end() && count < 2; ++it) {
    entry& e = *it->second;
    if (e.is == entry::state::held) continue;
    ++count;
    if (covered(e) ? look_ahead(step, e) : true) {
      if (!listing_) list(step, kind::list);
      return;
    }
  }
}

// Watches those right before an entry. Returns whether a list is needed.
bool queue::look_ahead(step step, entry& e) {
  // Who is before one of ours that bars us is that one's business.
  sequence floor = -1;
  for (auto it = own_.find(e.number); it != own_.begin();)
    if (--it; rule_.bars(it->second->wants, e.wants)) {
      floor = it->first;
      break;
    }

  std::size_t seen = 0;
  std::size_t watched = 0;
  std::vector<foreign_map::iterator> unwatched;
  for (auto it = foreign_.lower_bound(e.number);
       it != foreign_.begin() && seen < settings_.look_ahead;) {
    if ((--it)->first < floor) break;
    if (!rule_.bars(it->second.wants, e.wants)) continue;
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
      step.actions.push_back({.what = kind::watch, .number = it->first, .name = it->second.name});
    }
    return false;
  }
  // Watching one more for each that goes would cost a request at each hand-over. Instead, with the
  // last one left, ask once who else is: as a rule nobody.
  if (watched > 1) return false;
  e.ahead = entry::plan::verifying;
  return true;
}

void queue::fill(step step) {
  if (!can_ask() || making_parents_) return;
  starved_ = false;
  while (!waiting_.empty() && unheld_ < settings_.window) {
    const auto first = waiting_.begin();
    if (!create(step, *find(*first))) return;
    waiting_.erase(first);
  }
}

bool queue::create(step step, entry& e) {
  if (!budget_.take(settings_.entry_bytes)) {
    starved_ = true;
    return false;
  }
  e.paid = true;
  if (directory_ == presence::absent) {
    directory_ = presence::present;
    step.actions.push_back({.what = kind::make_directory});
  }
  e.is = entry::state::creating;
  e.sent = ++sent_;
  creating_.pass(e.wants);
  step.actions.push_back({.what = kind::create, .wants = e.wants, .entry = e.id});
  // The session is first in, first out: a list sent right behind the create shows the new entry
  // and all before it.
  if (!listing_ && unheld_ < 2 && (known_ < 0 || met_gap_)) list(step, kind::list);
  ++unheld_;
  // A lock that is used once must not pay for what helps it only later.
  if (++uses_ >= 2 && directory_watch_ == presence::absent) {
    directory_watch_ = presence::asked;
    step.actions.push_back({.what = kind::watch_directory});
  }
  return true;
}

void queue::list(step step, action::kind how) {
  listing_ = true;
  list_sent_ = ++sent_;
  step.actions.push_back({.what = how});
}

ahead queue::ours() const noexcept {
  ahead before = creating_;
  for (const auto& [number, e] : own_)
    before.pass(e->wants);
  return before;
}

void queue::start_tries(step step) {
  if (tries_.empty() || !can_ask() || making_parents_) return;
  const ahead before = ours();
  for (auto it = tries_.begin(); it != tries_.end();) {
    entry& e = *find(*it);
    if (e.is == entry::state::trying && (!waiting_.empty() || !rule_.admits(before, e.wants))) {
      it = tries_.erase(it);
      refuse(step, e, reason::busy);
      forget(step, e);
      continue;
    }
    ++it;
    if (e.is != entry::state::trying) continue;
    e.is = entry::state::probing;
    // A list that is in flight already may show what was before the try began.
    e.sent = sent_ + 1;
  }
  if (!tries_.empty() && !listing_) list(step, kind::list);
}

} // namespace zklock::queue

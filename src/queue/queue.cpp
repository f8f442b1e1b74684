// What the callers and the session do to a queue.

#include "queue/queue.hpp"

namespace zklock::queue {

using kind = action::kind;

queue::queue(const rule& rule, const settings& settings, budget& budget,
             std::pmr::memory_resource* memory)
    : rule_(rule),
      settings_(settings),
      budget_(budget),
      entries_(memory),
      own_(memory),
      holders_(memory),
      waiting_(memory),
      tries_(memory),
      seats_{seats(memory), seats(memory)} {}

void queue::acquire(step step, claim_id id, role wants, bool trying) {
  if (trying) {
    tries_.emplace_hint(tries_.end(), id, attempt{.wants = wants});
    start_tries(step);
  } else {
    waiting_.emplace_hint(waiting_.end(), id, wants);
    fill(step);
  }
}

void queue::release(step step, claim_id id) {
  const auto found = holders_.find(id);
  if (found == holders_.end()) return give_up(step, id);
  entry& e = *found->second;
  if (e.tries) {
    // Without its entry it is a try like any other.
    drop(step, e);
    give_up(step, id);
    return advance(step);
  }
  holders_.erase(found);
  if (can_hand_over(e))
    hand_over(step, e);
  else
    remove(step, e);
  advance(step);
}

void queue::refill(step step) {
  fill(step);
}

void queue::connected(step step, session_token token) {
  token_ = token;
  connected_ = true;
  if (entries_.empty()) {
    start_tries(step);
    return fill(step);
  }
  // What became of the requests in flight, and who is before us, must be known before anything
  // else is done. The server may be another one, which lags behind what we saw already: sync.
  recovering_ = true;
  list(step, kind::sync_and_list);
}

void queue::disconnected() {
  connected_ = recovering_ = listing_ = making_parents_ = confirming_ = false;
  directory_watch_ = presence::absent;
  creating_ = {};
  forget_others();
  for (auto& [id, e] : entries_) {
    e.ahead = entry::plan::none;
    if (e.is == entry::state::inspecting) own_.erase(e.number);
    if (e.is == entry::state::inspecting || e.is == entry::state::creating)
      e.is = entry::state::unsure;
  }
  for (auto& [id, one] : tries_)
    one.probing = false;
}

void queue::expired(step step) {
  own_.clear();
  while (!entries_.empty()) {
    entry& e = entries_.begin()->second;
    if (e.is == entry::state::held)
      lose(step, e, reason::session_expired);
    else if (e.is != entry::state::removing)
      vacate(step, e);
    forget(step, e);
  }
}

bool queue::empty() const noexcept {
  return entries_.empty() && waiting_.empty() && tries_.empty();
}

queue::foreign_map::iterator queue::find_foreign(std::string_view name) noexcept {
  if (const auto parsed = parse_entry_name(name)) {
    auto [it, end] = foreign_.equal_range(parsed->number);
    for (; it != end; ++it)
      if (it->second.name == name) return it;
  }
  return foreign_.end();
}

entry* queue::find(entry_id id) noexcept {
  const auto it = entries_.find(id);
  return it == entries_.end() ? nullptr : &it->second;
}

// While something of ours is in the directory it cannot be deleted, and while we watch it we are
// told. Otherwise it may have been deleted and made again, with numbers that start from 0. What is
// only asked for does not count: it may come too late.
bool queue::anchored() const noexcept {
  return !own_.empty() || directory_watch_ == presence::present;
}

void queue::forget_others() noexcept {
  known_ = -1;
  foreign_.clear();
}

} // namespace zklock::queue

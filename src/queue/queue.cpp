// What the callers and the session do to a queue, and how an entry goes from state to state.

#include "queue/queue.hpp"

#include <vector>

namespace zklock::queue {

using kind = action::kind;

queue::queue(const rule& rule, const settings& settings, budget& budget)
    : rule_(rule), settings_(settings), budget_(budget) {}

void queue::acquire(step step, entry_id id, role wants, bool trying) {
  const auto is = trying ? entry::state::trying : entry::state::waiting;
  entries_.emplace(id, entry{.id = id, .wants = wants, .is = is, .tries = trying});
  if (trying) {
    tries_.insert(tries_.end(), id);
    start_tries(step);
  } else {
    waiting_.insert(waiting_.end(), id);
    fill(step);
  }
}

void queue::release(step step, entry_id id) {
  entry* const e = find(id);
  if (!e) return;
  switch (e->is) {
  case entry::state::waiting:
    waiting_.erase(id);
    return forget(step, *e);
  case entry::state::trying:
  case entry::state::probing:
    tries_.erase(id);
    return forget(step, *e);
  case entry::state::creating:
  case entry::state::unsure:
    // Whether there is a node, and which, will be known later.
    e->abandoned = true;
    return;
  case entry::state::inspecting:
  case entry::state::queued:
  case entry::state::held:
    leave_line(*e);
    remove(step, *e);
    return advance(step);
  case entry::state::removing:
    return;
  }
}

void queue::refill(step step) {
  fill(step);
}

void queue::connected(step step, session_token token) {
  token_ = token;
  connected_ = true;
  if (entries_.size() == waiting_.size() + tries_.size()) {
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
    if (e.is == entry::state::inspecting) {
      leave_line(e);
      ++unheld_;
      e.is = entry::state::unsure;
    } else if (e.is == entry::state::creating) {
      e.is = entry::state::unsure;
    } else if (e.is == entry::state::probing) {
      e.is = entry::state::trying;
    }
  }
}

void queue::expired(step step) {
  std::vector<entry_id> with_node;
  for (const auto& [id, e] : entries_)
    if (!waiting_.contains(id) && !tries_.contains(id)) with_node.push_back(id);
  for (const auto id : with_node) {
    entry& e = *find(id);
    const bool in_line = e.is == entry::state::queued || e.is == entry::state::held;
    if (in_line) leave_line(e);
    if (e.is == entry::state::held)
      lose(step, e, reason::session_expired);
    else if (e.is == entry::state::removing)
      forget(step, e);
    else
      wait_again(step, e);
  }
  unheld_ = 0;
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

void queue::enter_line(step step, entry& e, entry::state is) {
  // Whoever has the number already had it in a directory that is no more.
  if (const auto it = own_.find(e.number); it != own_.end()) lose_node(step, *it->second);
  e.is = is;
  own_.emplace_hint(own_.end(), e.number, &e);
  tries_in_line_ += e.tries;
}

void queue::leave_line(entry& e) {
  own_.erase(e.number);
  if (e.is == entry::state::held) return;
  --unheld_;
  tries_in_line_ -= e.tries;
}

void queue::refuse(step step, entry& e, reason why) {
  step.actions.push_back({.what = kind::refuse, .why = why, .entry = e.id});
}

void queue::refuse_beyond_last(step step, entry& e) {
  if (e.number >= 0 && e.number <= last_number) return;
  if (!e.abandoned) refuse(step, e, reason::sequence_exhausted);
  e.abandoned = true;
}

void queue::refuse_all(step step, reason why) {
  std::vector<entry_id> all(waiting_.begin(), waiting_.end());
  all.insert(all.end(), tries_.begin(), tries_.end());
  for (const auto& [number, e] : own_)
    if (e->is != entry::state::held) all.push_back(e->id);
  waiting_.clear();
  tries_.clear();
  for (const auto id : all) {
    entry& e = *find(id);
    refuse(step, e, why);
    if (e.is == entry::state::queued || e.is == entry::state::inspecting) {
      leave_line(e);
      remove(step, e);
    } else {
      forget(step, e);
    }
  }
}

void queue::lose(step step, entry& e, reason why) {
  step.actions.push_back({.what = kind::lose, .why = why, .entry = e.id});
  forget(step, e);
}

void queue::lose_node(step step, entry& e) {
  const bool held = e.is == entry::state::held;
  leave_line(e);
  if (held)
    lose(step, e, reason::entry_deleted);
  else
    wait_again(step, e);
}

// The directory was deleted, and so were all in line, by somebody who deletes the entries of
// others: while ours are in it, nobody else can.
void queue::clear_line(step step) {
  while (!own_.empty())
    lose_node(step, *own_.begin()->second);
  forget_others();
}

void queue::remove(step step, entry& e) {
  e.is = entry::state::removing;
  // What is not sent now is seen to when the list of the recovery is here.
  if (can_ask())
    step.actions.push_back(
        {.what = kind::remove, .wants = e.wants, .entry = e.id, .number = e.number});
  // What was asked for before the delete is in time.
  const bool followed = unheld_ != 0 || directory_watch_ == presence::asked;
  if (!anchored() && !followed) forget_others();
}

void queue::wait_again(step step, entry& e) {
  if (e.abandoned) return forget(step, e);
  give_back(e);
  e.number = -1;
  e.ahead = entry::plan::none;
  e.is = e.tries ? entry::state::trying : entry::state::waiting;
  (e.tries ? tries_ : waiting_).insert(e.id);
}

void queue::forget(step step, entry& e, reason why) {
  step.actions.push_back({.what = kind::forget, .why = why, .entry = e.id});
  give_back(e);
  entries_.erase(e.id);
}

void queue::give_back(entry& e) {
  if (e.paid) budget_.give_back(settings_.entry_bytes);
  e.paid = false;
}

} // namespace zklock::queue

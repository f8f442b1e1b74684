// What a lock keeps for its next use, and what uses it without the queue.

#include "client/client_impl.hpp"
#include "client/kept_entry.hpp"
#include "client/lock_in_use.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace zklock::detail {

// A conflict is over when no entry of ours is left.
void lock_in_use::note_conflicts() {
  const auto conflicts = driver_.state().cache_conflicts();
  if (std::exchange(conflicts_, conflicts) != conflicts)
    times_.conflict_began(keep_times::clock::now(), driver_.state().is_any(queue::role::shared));
  if (times_.is_in_conflict() && driver_.state().entries().empty())
    times_.conflict_ended(keep_times::clock::now());
}

// It does not change while the lock has the acquisition.
bool lock_in_use::may_hand_out(const acquisition& c) const noexcept {
  return c.is_plain() && c.path()->kept == kept_;
}

// Acquisitions that wait move one by one, and back at the next event: the offer pays where many
// acquisitions are granted between two events.
void lock_in_use::offer_kept() {
  if (!kept_ || offered_ || staying_ != 0) return;
  const auto* const e = driver_.state().grantable_outside();
  if (!e) return;
  const bool may_offer = e->acquisition == 0 ? acquisitions_.empty() : may_hand_out(*e);
  if (!may_offer) return;
  auto users = hand_out(*e);
  const bool has_line = users.holder && driver_.state().entries().size() > 1;
  seen_turn_ = e->turn;
  offered_ = kept_;
  kept_->make_offer({.node = {.session = client_.locks().token(),
                              .entry = e->id,
                              .label = policy_.label(e->wants),
                              .number = e->number},
                     .wants = e->wants,
                     .czxid = e->czxid,
                     .next_turn = e->turn,
                     .end_of_turns = driver_.state().most_turns(),
                     .has_line = has_line,
                     .stays = client_.options().lock_cache.has_value(),
                     .counters = &counters_},
                    std::move(users));
  watch_line();
}

bool lock_in_use::may_hand_out(const queue::entry& held) const {
  return grants_until_offer_ == 0 && times_.may_keep(keep_times::clock::now()) &&
         !acquisitions_.find(held.acquisition)->second->is_awaited();
}

// The holder's hold has it, and the line has those that wait.
kept_entry::users lock_in_use::hand_out(const queue::entry& kept) {
  kept_entry::users users;
  if (kept.acquisition == 0) return users;
  const auto take = [this](queue::acquisition_id id) {
    auto c = std::move(acquisitions_.extract(id).mapped());
    c->handed_out();
    return c;
  };
  const auto holder = kept.acquisition;
  const auto waiters = driver_.hand_out(kept.id);
  users.holder = take(holder);
  client_.kept_is_used();
  for (const auto id : waiters) {
    users.line.push_back(take(id));
    counters_.kept_waits();
  }
  return users;
}

void lock_in_use::take_back() {
  if (!offered_) return;
  note_offered_uses();
  const auto offered = std::exchange(offered_, nullptr);
  auto users = offered->take_back();
  queue::acquisition_id holder = 0;
  if (users.holder) {
    holder = adopt(*users.holder);
    users.holder->adopted(counters_);
  }
  std::vector<queue::acquisition_id> waiters;
  while (const auto c = next_in_line(users.line)) {
    waiters.push_back(adopt(*c));
    if (c->deadline != acquisition::time_point::max()) client_.deadlines().add(*c);
  }
  grants_until_offer_ = 2 * waiters.size();
  driver_.granted_outside(offered->entry(), offered->next_turn(), holder, waiters);
  if (holder == 0) return;
  client_.locks().cached().count(*this);
  client_.kept_is_unused();
}

queue::acquisition_id lock_in_use::adopt(acquisition& c) {
  client_.locks().enter(c, *this);
  add(c.shared_from_this());
  return c.id;
}

std::shared_ptr<acquisition> lock_in_use::next_in_line(waiting_line& line) noexcept {
  auto next = line.pop_front();
  if (next) {
    counters_.kept_leaves();
    next->count_in(counters_);
  }
  return next;
}

void lock_in_use::abandon() noexcept {
  if (!offered_) return;
  auto line = std::exchange(offered_, nullptr)->take_back().line;
  while (const auto c = next_in_line(line))
    c->drop();
}

void lock_in_use::watch_line() {
  deadline_hook.unlink();
  if (!offered_) return;
  deadline = offered_->next_look();
  if (deadline != acquisition::time_point::max()) client_.deadlines().add(*this);
}

void lock_in_use::leave_line(acquisition& c) {
  if (!offered_ || offered_ != c.path()->kept) return;
  if (offered_->has_line()) return take_back();
  if (offered_->leave(c)) c.count_in(counters_);
}

// There is a connection as long as there is an offer, and what holds the entry is this client's.
// Those that are taken back have their deadlines again.
void lock_in_use::refuse_overdue() {
  if (!offered_) return;
  if (offered_->has_line()) return take_back();
  auto overdue = offered_->take_due(acquisition::time_point::clock::now());
  while (const auto c = next_in_line(overdue))
    c->refuse(errc::timed_out);
  watch_line();
}

void lock_in_use::note_offered_uses() {
  if (!offered_) return;
  const auto turn = offered_->next_turn();
  const auto uses = turn - std::exchange(seen_turn_, turn);
  if (uses != 0 || offered_->is_held()) times_.used(keep_times::clock::now(), std::max(uses, 1u));
}

} // namespace zklock::detail

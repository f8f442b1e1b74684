#include "client/lock_line.hpp"

#include <algorithm>
#include <utility>

namespace zklock::detail {

bool lock_line::grant_fast(line_member& c) noexcept {
  const std::lock_guard locked(mutex_);
  if (!open_ || open_->holder || !waiting_.empty() || !may_grant(c)) return false;
  c.counters_ = counters_;
  hold(c, std::chrono::steady_clock::now());
  return true;
}

// Readers hold beside each other, each by an entry of its own, so only writers wait for the open
// entry, unless they want an entry with an identity of their own. The strand sees a new acquisition
// at the look that is due.
bool lock_line::wait(member_ptr added) noexcept {
  line_member& c = *added;
  const std::lock_guard locked(mutex_);
  c.self_ = std::move(added);
  c.place_ = c.trying ? place::trying : place::waiting;
  c.is_unseen_ = c.trying || !c.is_plain_ || !counters_;
  if (counters_) c.counts_in(*counters_);
  due_.add(c);
  if (!c.trying) waiting_.push_back(c);
  if (c.is_unseen_) unseen_.push_back(c);
  const bool is_served = open_ && open_->holder && !c.trying && !c.wanted_.identity &&
                         c.wanted_.wants == queue::role::exclusive &&
                         open_->by.next.wants == queue::role::exclusive;
  if (is_served && !c.is_unseen_ && c.deadline >= looks_at_) return false;
  if (!is_served) needs_queue_ = true;
  return !std::exchange(is_look_due_, true);
}

lock_line::release_result lock_line::release_fast(line_member& c) noexcept {
  release_result result;
  const std::lock_guard locked(mutex_);
  if (!open_ || open_->holder != &c || c.ends_on_strand_) return result;
  if (waiting_.empty()) {
    if (!open_->loose_tickets.empty() || !open_->by.stays) return result;
  } else if (waiting_.front().is_unseen_ || !may_grant(waiting_.front())) {
    return result;
  }
  const auto now = std::chrono::steady_clock::now();
  due_.remove(c);
  c.place_ = place::outside;
  c.ended_fast(now);
  open_->holder = nullptr;
  result.is_done = true;
  if (waiting_.empty()) return result;
  line_member& next = waiting_.front();
  if (next.ticket_ != 0) open_->loose_tickets.push_back(std::exchange(next.ticket_, 0));
  leave(next);
  result.next = std::move(next.self_);
  hold(next, now);
  return result;
}

void lock_line::keep_alive(member_ptr released) noexcept {
  const std::lock_guard locked(mutex_);
  if (open_ && open_->holder == released.get()) open_->kept_alive = std::move(released);
}

// If the session ends right after `is_proven`, the strand closes the line later, and then ends the
// new hold, too.
bool lock_line::may_grant(const line_member& to) const noexcept {
  const offer& by = open_->by;
  return to.is_plain_ && by.next.turn != by.end_of_turns && by.next.wants == to.wanted_.wants &&
         to.is_proven();
}

void lock_line::hold(line_member& to, time_point now) noexcept {
  to.place_ = place::holding_fast;
  open_->holder = &to;
  to.granted_fast(open_->by.next, now);
  ++open_->by.next.turn;
}

void lock_line::leave(line_member& c) noexcept {
  if (c.place_ == place::waiting) waiting_.erase(c);
  if (c.is_unseen_) unseen_.erase(unseen_.iterator_to(c));
  c.is_unseen_ = false;
  due_.remove(c);
  c.place_ = place::outside;
}

// The hold, or its release on the way to the strand, owns the holder from now on. Should the line
// be the last owner, the holder is destroyed unlocked, since it may own this line.
void lock_line::open(const offer& by, line_member* holder) noexcept {
  member_ptr former_owner;
  const std::lock_guard locked(mutex_);
  open_ = {.by = by, .holder = holder};
  // Another thread may just have added an acquisition that the opened entry does not serve.
  needs_queue_ = waiting_.first_without_ticket() || !unseen_.empty();
  if (!holder) return;
  holder->entry_ = 0;
  holder->place_ = place::holding_fast;
  former_owner = std::move(holder->self_);
}

lock_line::closed lock_line::close() noexcept {
  const std::lock_guard locked(mutex_);
  closed was{.entry = open_->by.next.entry,
             .next_turn = open_->by.next.turn,
             .holder = open_->holder,
             .loose_tickets = std::move(open_->loose_tickets)};
  if (was.holder) {
    was.holder->self_ = was.holder->shared();
    was.holder->place_ = place::holding;
    was.holder->entry_ = was.entry;
  }
  open_.reset();
  needs_queue_ = false;
  return was;
}

bool lock_line::is_open() const noexcept {
  const std::lock_guard locked(mutex_);
  return open_.has_value();
}

std::uint32_t lock_line::next_turn() const noexcept {
  const std::lock_guard locked(mutex_);
  return open_->by.next.turn;
}

bool lock_line::is_held_fast() const noexcept {
  const std::lock_guard locked(mutex_);
  return open_ && open_->holder;
}

bool lock_line::is_holder(const line_member& c) const noexcept {
  const std::lock_guard locked(mutex_);
  return open_ && open_->holder == &c;
}

void lock_line::count_in(lock_counters* counters) noexcept {
  const std::lock_guard locked(mutex_);
  counters_ = counters;
}

std::vector<lock_line::member_ptr> lock_line::look() noexcept {
  std::vector<member_ptr> seen;
  const std::lock_guard locked(mutex_);
  is_look_due_ = false;
  while (!unseen_.empty()) {
    line_member& c = unseen_.front();
    unseen_.pop_front();
    c.is_unseen_ = false;
    if (counters_ && c.counters_ != counters_) c.counts_in(*counters_);
    seen.push_back(c.self_);
  }
  return seen;
}

bool lock_line::needs_queue() const noexcept {
  const std::lock_guard locked(mutex_);
  return open_ && (needs_queue_ || (!open_->holder && !waiting_.empty()));
}

void lock_line::set_ticket(line_member& c, queue::demand_id ticket) noexcept {
  const std::lock_guard locked(mutex_);
  c.ticket_ = ticket;
}

bool lock_line::is_any_waiting() const noexcept {
  const std::lock_guard locked(mutex_);
  return !waiting_.empty();
}

line_member* lock_line::first_with(queue::demand_id ticket) const noexcept {
  const std::lock_guard locked(mutex_);
  return waiting_.find(ticket);
}

std::size_t lock_line::count_equal_before(const line_member& c) const noexcept {
  const std::lock_guard locked(mutex_);
  std::size_t before = 0;
  bool is_passed = false;
  waiting_.for_each([&](const line_member& each) {
    is_passed |= &each == &c;
    before += !is_passed && each.ticket_ == c.ticket_;
  });
  return before;
}

void lock_line::granted(line_member& c, queue::entry_id by) noexcept {
  const std::lock_guard locked(mutex_);
  leave(c);
  c.ticket_ = 0;
  c.entry_ = by;
  c.place_ = place::holding;
}

void lock_line::set_in_doubt(line_member& c) noexcept {
  const std::lock_guard locked(mutex_);
  if (c.place_ == place::waiting) waiting_.erase(c);
  c.place_ = place::in_doubt;
}

void lock_line::wait_again(line_member& c) noexcept {
  const std::lock_guard locked(mutex_);
  c.place_ = c.trying ? place::trying : place::waiting;
  c.is_unseen_ = true;
  if (!c.trying) waiting_.push_back(c);
  unseen_.push_back(c);
  needs_queue_ = true;
}

lock_line::member_ptr lock_line::take_out(line_member& c, bool only_waiting) noexcept {
  const std::lock_guard locked(mutex_);
  const bool holds = c.place_ == place::holding || c.place_ == place::holding_fast;
  if (c.place_ == place::outside || (only_waiting && holds)) return nullptr;
  leave(c);
  return std::move(c.self_);
}

void lock_line::end_on_strand(line_member& c) noexcept {
  const std::lock_guard locked(mutex_);
  c.ends_on_strand_ = true;
}

void lock_line::set_hold_limit(line_member& c, time_point end) noexcept {
  const std::lock_guard locked(mutex_);
  c.deadline = end;
  due_.add(c);
}

lock_line::time_point lock_line::next_look(time_point planned) noexcept {
  const std::lock_guard locked(mutex_);
  return looks_at_ = std::min(planned, due_.earliest());
}

lock_line::due lock_line::take_due(time_point now) noexcept {
  const std::lock_guard locked(mutex_);
  line_member* const c = due_.take_due(now);
  if (!c) return {};
  if (c->place_ == place::holding || c->place_ == place::holding_fast)
    return {.of = c->shared(), .holds = true};
  leave(*c);
  return {.of = std::move(c->self_)};
}

std::vector<lock_line::member_ptr> lock_line::waiting() noexcept {
  std::vector<member_ptr> found;
  const std::lock_guard locked(mutex_);
  waiting_.for_each([&](const line_member& each) { found.push_back(each.self_); });
  for (auto& each : unseen_)
    if (each.place_ == place::trying) found.push_back(each.self_);
  return found;
}

} // namespace zklock::detail

#include "client/kept_entry.hpp"

#include "client/client_impl.hpp"
#include "client/lock_counters.hpp"

#include <chrono>
#include <utility>

namespace zklock::detail {

void waiting_line::push_back(std::shared_ptr<acquisition> waiter) noexcept {
  waiters_.push_back(*waiter);
  // Most acquisitions have equal timeouts, and come in the order of their deadlines.
  if (waiter->deadline != time_point::max()) by_deadline_.insert(by_deadline_.end(), *waiter);
  waiter->kept_alive = std::move(waiter);
}

std::shared_ptr<acquisition> waiting_line::pop_front() noexcept {
  return waiters_.empty() ? nullptr : take(waiters_.front());
}

std::shared_ptr<acquisition> waiting_line::take(acquisition& waiter) noexcept {
  waiters_.erase(waiters_.iterator_to(waiter));
  if (waiter.deadline_hook.is_linked()) waiter.deadline_hook.unlink();
  return std::move(waiter.kept_alive);
}

waiting_line waiting_line::take_due(time_point now) noexcept {
  waiting_line due;
  while (earliest_deadline() <= now)
    due.push_back(take(*by_deadline_.begin()));
  return due;
}

waiting_line::time_point waiting_line::earliest_deadline() const noexcept {
  return by_deadline_.empty() ? time_point::max() : by_deadline_.begin()->deadline;
}

void kept_entry::make_offer(const offer& what, users by) noexcept {
  const std::lock_guard locked(mutex_);
  is_offered_ = true;
  offer_ = what;
  holder_ = by.holder.get();
  line_ = std::move(by.line);
  looks_at_ = acquisition::time_point::max();
}

kept_entry::users kept_entry::take_back() noexcept {
  const std::lock_guard locked(mutex_);
  is_offered_ = false;
  users taken{.line = std::exchange(line_, {})};
  if (holder_) taken.holder = std::exchange(holder_, nullptr)->shared_from_this();
  kept_alive_ = nullptr;
  return taken;
}

void kept_entry::keep_alive(std::shared_ptr<acquisition> released) noexcept {
  const std::lock_guard locked(mutex_);
  if (holder_ == released.get()) kept_alive_ = std::move(released);
}

std::uint32_t kept_entry::next_turn() const noexcept {
  const std::lock_guard locked(mutex_);
  return offer_.next_turn;
}

bool kept_entry::is_held() const noexcept {
  const std::lock_guard locked(mutex_);
  return holder_ != nullptr;
}

waiting_line kept_entry::take_due(acquisition::time_point now) noexcept {
  const std::lock_guard locked(mutex_);
  return line_.take_due(now);
}

acquisition::time_point kept_entry::next_look() noexcept {
  const std::lock_guard locked(mutex_);
  return looks_at_ = line_.earliest_deadline();
}

bool kept_entry::grant(acquisition& to) noexcept {
  const std::lock_guard locked(mutex_);
  if (holder_ || !may_grant(to)) return false;
  hold(to, std::chrono::steady_clock::now());
  offer_.counters->kept_granted();
  return true;
}

kept_entry::outcome kept_entry::grant_or_wait(const std::shared_ptr<acquisition>& to) noexcept {
  if (grant(*to)) return outcome::granted;
  const std::lock_guard locked(mutex_);
  // Readers hold beside each other, each by an entry of its own.
  const bool may_wait =
      offer_.wants == queue::role::exclusive && offer_.wants == to->wanted().wants;
  if (!holder_ || !may_wait) return outcome::none;
  line_.push_back(to);
  offer_.counters->kept_waits();
  if (to->deadline >= looks_at_) return outcome::in_line;
  looks_at_ = to->deadline;
  return outcome::in_line_with_earliest_deadline;
}

// A line that was taken back is empty again before the next offer is made, so what is linked while
// there is an offer is in this line.
bool kept_entry::leave(acquisition& waiter) noexcept {
  const std::lock_guard locked(mutex_);
  if (!is_offered_ || !waiter.line_hook.is_linked()) return false;
  const auto left = line_.take(waiter);
  offer_.counters->kept_leaves();
  return true;
}

bool kept_entry::release(const acquisition& by) noexcept {
  std::shared_ptr<acquisition> next;
  {
    const std::lock_guard locked(mutex_);
    if (holder_ != &by) return false;
    const bool needs_strand = line_.empty() ? offer_.has_line || !offer_.stays : !may_grant(by);
    if (needs_strand) return false;
    const auto now = std::chrono::steady_clock::now();
    if (!line_.empty()) {
      next = line_.pop_front();
      offer_.counters->kept_granted(now - next->since);
      hold(*next, now);
    } else {
      holder_ = nullptr;
    }
    offer_.counters->kept_released(now - by.since);
  }
  if (next) next->complete_kept();
  return true;
}

// Where the session ends right after it was asked for, the strand has yet to take the entry back,
// with the acquisition that holds it.
bool kept_entry::may_grant(const acquisition& to) const noexcept {
  return is_offered_ && offer_.next_turn != offer_.end_of_turns &&
         offer_.wants == to.wanted().wants && to.client()->proven_now();
}

void kept_entry::hold(acquisition& to, acquisition::time_point now) noexcept {
  to.hold_kept(fencing_token(offer_.czxid, offer_.next_turn++), offer_.node, now);
  holder_ = &to;
}

} // namespace zklock::detail

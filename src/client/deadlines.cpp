#include "client/deadlines.hpp"

#include "client/client_impl.hpp"

#include <algorithm>

namespace zklock::detail {

deadlines::deadlines(client_impl& client) : client_(client), timer_(client.strand()) {}

// Most have the same timeout, and come in the order of their deadlines.
void deadlines::add(acquisition& c) {
  by_time_.insert(by_time_.end(), c);
  wait();
}

void deadlines::add(lock_in_use& used) {
  lines_.insert(used);
  wait();
}

void deadlines::granted(acquisition& c, time_point since) {
  remove(c);
  if (!c.more() || c.more()->hold_limit == std::chrono::nanoseconds::max()) return;
  if (c.more()->hold_limit >= time_point::max() - since) return;
  c.deadline = c.more()->end = since + c.more()->hold_limit;
  add(c);
}

deadlines::time_point deadlines::earliest() const noexcept {
  const auto first = [](const auto& all) {
    return all.empty() ? time_point::max() : all.begin()->deadline;
  };
  return std::min(first(by_time_), first(lines_));
}

std::shared_ptr<acquisition> deadlines::take_due(time_point now) {
  if (by_time_.empty() || by_time_.begin()->deadline > now) return nullptr;
  auto due = by_time_.begin()->shared_from_this();
  by_time_.erase(by_time_.begin());
  return due;
}

lock_in_use* deadlines::take_due_line(time_point now) noexcept {
  if (lines_.empty() || lines_.begin()->deadline > now) return nullptr;
  lock_in_use& due = *lines_.begin();
  lines_.erase(lines_.begin());
  return &due;
}

// A deadline that is removed in time leaves the timer running: it need not be set for each.
void deadlines::wait() {
  const auto next = earliest();
  if (next >= awaited_) return;
  awaited_ = next;
  timer_->expires_at(next);
  client_.when_expired(*timer_, [this] {
    awaited_ = time_point::max();
    while (const auto due = take_due(std::chrono::steady_clock::now()))
      passed(*due);
    while (lock_in_use* const used = take_due_line(std::chrono::steady_clock::now()))
      used->refuse_overdue();
    wait();
  });
}

void deadlines::passed(acquisition& c) {
  if (c.current() == acquisition::phase::waiting) return client_.give_up(c, out_of_time(c));
  if (c.current() != acquisition::phase::held) return;
  c.lose(errc::hold_limit_reached);
  if (c.in) c.in->release(c);
}

// A connection alone proves nothing: the server may never have answered.
error_code deadlines::out_of_time(const acquisition& c) const noexcept {
  if (!client_.connected()) return client_.session().connect_error();
  return !c.trying && c.in && c.in->in_line(c) ? errc::timed_out : errc::not_connected;
}

void deadlines::stop() noexcept {
  by_time_.clear();
  lines_.clear();
  timer_->cancel();
}

void deadlines::abandon() noexcept {
  by_time_.clear();
  lines_.clear();
  timer_.reset();
}

} // namespace zklock::detail

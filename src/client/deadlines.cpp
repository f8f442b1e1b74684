#include "client/deadlines.hpp"

#include "client/client_impl.hpp"

namespace zklock::detail {

deadlines::deadlines(client_impl& client) : client_(client), timer_(client.strand()) {}

void deadlines::add(acquisition& c) {
  by_time_.insert(c);
  wait();
}

deadlines::time_point deadlines::earliest() const noexcept {
  return by_time_.empty() ? time_point::max() : by_time_.begin()->deadline;
}

std::shared_ptr<acquisition> deadlines::take_due(time_point now) {
  if (earliest() > now) return nullptr;
  auto due = by_time_.begin()->shared_from_this();
  by_time_.erase(by_time_.begin());
  return due;
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
      client_.deadline_passed(*due);
    wait();
  });
}

void deadlines::stop() noexcept {
  by_time_.clear();
  timer_->cancel();
}

void deadlines::abandon() noexcept {
  by_time_.clear();
  timer_.reset();
}

} // namespace zklock::detail

#include "client/deadlines.hpp"

namespace zklock::detail {

deadlines::deadlines(client_core& core, function passed)
    : passed_(std::move(passed)), timer_(core) {}

// A deadline that is removed in time leaves the watch of the line and the timer as they are, so
// most acquisitions set neither.
void deadlines::watch(line_watch& of) {
  const auto next = of.line().next_look(of.hook_.is_linked() ? of.time_ : time_point::max());
  if (next == of.time_ && of.hook_.is_linked()) return;
  of.hook_.unlink();
  of.time_ = next;
  if (next == time_point::max()) return;
  lines_.insert(lines_.end(), of);
  wait();
}

void deadlines::wait() {
  if (lines_.empty() || lines_.begin()->time_ >= awaited_) return;
  awaited_ = lines_.begin()->time_;
  timer_.call_at(awaited_, [this] {
    awaited_ = time_point::max();
    while (!lines_.empty() && lines_.begin()->time_ <= std::chrono::steady_clock::now())
      look(*lines_.begin());
    wait();
  });
}

// An acquisition that ends may make the client forget the lock, and with the lock the watch.
void deadlines::look(line_watch& at) {
  const auto lock = at.lock();
  at.hook_.unlink();
  at.time_ = time_point::max();
  passed_(lock);
}

void deadlines::stop() noexcept {
  lines_.clear();
  timer_.cancel();
}

} // namespace zklock::detail

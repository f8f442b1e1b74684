#include "client/deadlines.hpp"

#include "client/client_impl.hpp"

namespace zklock::detail {

deadlines::deadlines(client_impl& client) : client_(client), timer_(client.strand()) {}

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
  timer_->expires_at(awaited_);
  client_.when_expired(*timer_, [this] {
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
  while (const auto due = lock->acquisitions->take_due(std::chrono::steady_clock::now()))
    passed(static_cast<acquisition&>(*due));
  client_.locks().watch_deadlines(*lock);
}

void deadlines::passed(acquisition& c) {
  if (c.current() == acquisition::phase::waiting) return client_.give_up(c, out_of_time(c));
  if (c.current() != acquisition::phase::held) return;
  c.lose(errc::hold_limit_reached);
  if (lock_in_use* const used = client_.locks().find(c)) used->release(c);
}

// A connection alone proves nothing: the server may never have answered.
error_code deadlines::out_of_time(const acquisition& c) const noexcept {
  if (!client_.connected()) return client_.session().connect_error();
  return !c.trying && client_.locks().in_line(c) ? errc::timed_out : errc::not_connected;
}

void deadlines::stop() noexcept {
  lines_.clear();
  timer_->cancel();
}

void deadlines::abandon() noexcept {
  lines_.clear();
  timer_.reset();
}

} // namespace zklock::detail

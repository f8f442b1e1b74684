// Deadlines of acquisitions: the timeout of a waiter, and the hold limit of a holder.

#include "client/client_impl.hpp"

#include <algorithm>

namespace zklock::detail {

void client_impl::give_up(acquisition& c, error_code why) {
  if (c.current() != acquisition::phase::waiting) return;
  deadlines::remove(c);
  c.refuse(why);
  if (c.in)
    c.in->release(c);
  else
    look_at_sharers();
}

void client_impl::granted(acquisition& c) {
  deadlines::remove(c);
  if (!c.more() || c.more()->hold_limit == std::chrono::nanoseconds::max()) return;
  const auto now = std::chrono::steady_clock::now();
  if (c.more()->hold_limit >= time_point::max() - now) return;
  // A body is cancelled before the hold is lost.
  const auto margin = std::min<time_point::duration>(c.more()->hold_limit, session_timeout()) / 10;
  c.more()->end = now + c.more()->hold_limit;
  c.deadline = c.more()->end - margin;
  deadlines_.add(c);
}

void client_impl::deadline_passed(acquisition& c) {
  if (c.current() == acquisition::phase::waiting) return give_up(c, out_of_time(c));
  if (c.current() != acquisition::phase::held) return;
  if (c.deadline < c.more()->end) {
    c.unproven(errc::hold_limit_reached);
    c.deadline = c.more()->end;
    deadlines_.add(c);
    return;
  }
  c.lose(errc::hold_limit_reached);
  if (c.in) c.in->release(c);
}

// A connection alone proves nothing: the server may never have answered.
error_code client_impl::out_of_time(const acquisition& c) const noexcept {
  if (!connected()) return session_->connect_error();
  return !c.trying && c.in && c.in->in_line(c) ? errc::timed_out : errc::not_connected;
}

} // namespace zklock::detail

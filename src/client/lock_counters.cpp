#include "client/lock_counters.hpp"

#include <boost/asio/error.hpp>

namespace zklock::detail {

void lock_counters::granted(std::chrono::nanoseconds waited, bool handed_over) noexcept {
  waiters_.subtract();
  holds_.add();
  acquired_.add();
  if (handed_over) handed_over_.add();
  waited_.add(waited);
}

void lock_counters::reentered() noexcept {
  waiters_.subtract();
  reentered_.add();
}

void lock_counters::refused(const error_code& why) noexcept {
  waiters_.subtract();
  outcome(why).add();
}

void lock_counters::released(std::chrono::nanoseconds held) noexcept {
  holds_.subtract();
  released_.add();
  held_.add(held);
}

void lock_counters::lost(const error_code& why, std::chrono::nanoseconds held) noexcept {
  holds_.subtract();
  loss(why).add();
  held_.add(held);
}

// By the codes themselves: `errc::not_connected` equals the generic condition of a timeout, too.
event_counter& lock_counters::outcome(const error_code& why) noexcept {
  if (why == make_error_code(errc::timed_out)) return timed_out_;
  if (why == make_error_code(errc::busy)) return busy_;
  return why == boost::asio::error::operation_aborted ? cancelled_ : failed_;
}

event_counter& lock_counters::loss(const error_code& why) noexcept {
  if (why == make_error_code(errc::session_expired)) return lost_.session_expired;
  if (why == make_error_code(errc::entry_deleted)) return lost_.entry_deleted;
  if (why == make_error_code(errc::hold_limit_reached)) return lost_.hold_limit_reached;
  return why == make_error_code(errc::closed) ? lost_.closed : lost_.failed;
}

void lock_counters::add_to(lock_stats& total) const noexcept {
  total.acquired += acquired_.value();
  total.reentered += reentered_.value();
  total.handed_over += handed_over_.value();
  total.timed_out += timed_out_.value();
  total.cancelled += cancelled_.value();
  total.busy += busy_.value();
  total.failed += failed_.value();
  total.released += released_.value();
  total.lost.session_expired += lost_.session_expired.value();
  total.lost.entry_deleted += lost_.entry_deleted.value();
  total.lost.hold_limit_reached += lost_.hold_limit_reached.value();
  total.lost.closed += lost_.closed.value();
  total.lost.failed += lost_.failed.value();
  total.release_requests += release_requests_.value();
  total.holds += holds_.value();
  total.waiters += waiters_.value();
  waited_.add_to(total.waited);
  held_.add_to(total.held);
}

} // namespace zklock::detail

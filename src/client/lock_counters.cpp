#include "client/lock_counters.hpp"

#include <boost/asio/error.hpp>

namespace zklock::detail {

namespace {

std::uint64_t count(const lost_holds& lost) noexcept {
  return lost.session_expired + lost.data_rolled_back + lost.entry_deleted +
         lost.hold_limit_reached + lost.closed + lost.failed;
}

} // namespace

void lock_counters::granted(std::chrono::nanoseconds waited, bool handed_over) noexcept {
  leaves();
  if (handed_over) handed_over_.add();
  waited_.add(waited);
}

void lock_counters::reentered() noexcept {
  leaves();
  reentered_.add();
}

void lock_counters::refused(const error_code& why) noexcept {
  leaves();
  outcome(why).add();
}

void lock_counters::released(std::chrono::nanoseconds held) noexcept {
  released_.add();
  held_.add(held);
}

void lock_counters::lost(const error_code& why, std::chrono::nanoseconds held) noexcept {
  loss(why).add();
  held_.add(held);
}

// Compares codes, not conditions: `errc::not_connected` equals the generic condition of a timeout,
// too.
event_counter& lock_counters::outcome(const error_code& why) noexcept {
  if (why == make_error_code(errc::timed_out)) return refused_.timed_out;
  if (why == make_error_code(errc::busy)) return refused_.busy;
  return why == boost::asio::error::operation_aborted ? refused_.cancelled : refused_.failed;
}

event_counter& lock_counters::loss(const error_code& why) noexcept {
  if (why == make_error_code(errc::session_expired)) return lost_.session_expired;
  if (why == make_error_code(errc::data_rolled_back)) return lost_.data_rolled_back;
  if (why == make_error_code(errc::entry_deleted)) return lost_.entry_deleted;
  if (why == make_error_code(errc::hold_limit_reached)) return lost_.hold_limit_reached;
  return why == make_error_code(errc::closed) ? lost_.closed : lost_.failed;
}

// Ends are read before grants: no end is counted without its grant, so `holds` is not negative.
lock_stats lock_counters::read() const noexcept {
  lock_stats all;
  const auto held = fast_.held.read();
  all.lost = {.session_expired = lost_.session_expired.value(),
              .data_rolled_back = lost_.data_rolled_back.value(),
              .entry_deleted = lost_.entry_deleted.value(),
              .hold_limit_reached = lost_.hold_limit_reached.value(),
              .closed = lost_.closed.value(),
              .failed = lost_.failed.value()};
  all.released = released_.value() + held.count;
  const auto waited_fast = fast_.waited.read();
  const auto at_once = fast_.at_once.load(std::memory_order_acquire);
  const auto fast = at_once + waited_fast.count;
  all.waited = waited_.read();
  all.acquired = all.waited.count + fast;
  all.holds = all.acquired - all.released - count(all.lost);
  all.handed_over = handed_over_.value() + fast;
  all.reentered = reentered_.value();
  all.timed_out = refused_.timed_out.value();
  all.cancelled = refused_.cancelled.value();
  all.busy = refused_.busy.value();
  all.failed = refused_.failed.value();
  all.release_requests = release_requests_.value();
  all.waiters = waiters_.load(std::memory_order_relaxed);
  all.waited.buckets.front() += at_once;
  all.waited.count += at_once;
  add(all.waited, waited_fast);
  all.held = held_.read();
  add(all.held, held);
  return all;
}

void add(lock_stats& total, const lock_stats& more) noexcept {
  total.acquired += more.acquired;
  total.reentered += more.reentered;
  total.handed_over += more.handed_over;
  total.timed_out += more.timed_out;
  total.cancelled += more.cancelled;
  total.busy += more.busy;
  total.failed += more.failed;
  total.released += more.released;
  total.lost.session_expired += more.lost.session_expired;
  total.lost.data_rolled_back += more.lost.data_rolled_back;
  total.lost.entry_deleted += more.lost.entry_deleted;
  total.lost.hold_limit_reached += more.lost.hold_limit_reached;
  total.lost.closed += more.lost.closed;
  total.lost.failed += more.lost.failed;
  total.release_requests += more.release_requests;
  total.holds += more.holds;
  total.waiters += more.waiters;
  add(total.waited, more.waited);
  add(total.held, more.held);
}

} // namespace zklock::detail

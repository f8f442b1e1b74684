#include "client/lock_counters.hpp"

#include <boost/asio/error.hpp>

namespace zklock::detail {

namespace {

struct loss {
  errc why;
  std::uint64_t lost_holds::*number;
};

// The last loss stands for all other reasons.
constexpr std::array losses{loss{errc::session_expired, &lost_holds::session_expired},
                            loss{errc::data_rolled_back, &lost_holds::data_rolled_back},
                            loss{errc::entry_deleted, &lost_holds::entry_deleted},
                            loss{errc::hold_limit_reached, &lost_holds::hold_limit_reached},
                            loss{errc::closed, &lost_holds::closed},
                            loss{errc::refused, &lost_holds::failed}};

// Compares codes, not conditions: `errc::not_connected` equals the generic condition of a timeout,
// too.
bool is(const error_code& why, errc code) noexcept {
  return why == make_error_code(code);
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
  std::size_t i = 0;
  while (i + 1 < losses.size() && !is(why, losses[i].why))
    ++i;
  lost_[i].add();
  held_.add(held);
}

event_counter& lock_counters::outcome(const error_code& why) noexcept {
  if (is(why, errc::timed_out)) return refused_.timed_out;
  if (is(why, errc::busy)) return refused_.busy;
  return why == boost::asio::error::operation_aborted ? refused_.cancelled : refused_.failed;
}

// Ends are read before grants: no end is counted without its grant, so `holds` is not negative.
lock_stats lock_counters::read() const noexcept {
  lock_stats all;
  const auto held = fast_.held.read();
  std::uint64_t lost = 0;
  for (std::size_t i = 0; i < losses.size(); ++i)
    lost += all.lost.*losses[i].number = lost_[i].value();
  all.released = released_.value() + held.count;
  const auto waited_fast = fast_.waited.read();
  const auto at_once = fast_.at_once.value();
  const auto fast = at_once + waited_fast.count;
  all.waited = waited_.read();
  all.acquired = all.waited.count + fast;
  all.holds = all.acquired - all.released - lost;
  all.handed_over = handed_over_.value() + fast;
  all.reentered = reentered_.value();
  all.timed_out = refused_.timed_out.value();
  all.cancelled = refused_.cancelled.value();
  all.busy = refused_.busy.value();
  all.failed = refused_.failed.value();
  all.release_requests = release_requests_.value();
  all.waiters = waiters_.value();
  all.waited.buckets.front() += at_once;
  all.waited.count += at_once;
  add(all.waited, waited_fast);
  all.held = held_.read();
  add(all.held, held);
  return all;
}

void add(lock_stats& total, const lock_stats& more) noexcept {
  for (const auto number :
       {&lock_stats::acquired, &lock_stats::reentered, &lock_stats::handed_over,
        &lock_stats::timed_out, &lock_stats::cancelled, &lock_stats::busy, &lock_stats::failed,
        &lock_stats::released, &lock_stats::release_requests, &lock_stats::holds,
        &lock_stats::waiters})
    total.*number += more.*number;
  for (const auto& each : losses)
    total.lost.*each.number += more.lost.*each.number;
  add(total.waited, more.waited);
  add(total.held, more.held);
}

} // namespace zklock::detail

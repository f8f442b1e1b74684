#include "deterministic/kernel/timer_file.hpp"

#include "deterministic/kernel/process.hpp"

#include <poll.h>
#include <sys/timerfd.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace deterministic {

namespace {

time_point duration_of(const timespec& from) {
  return std::chrono::seconds{from.tv_sec} + std::chrono::nanoseconds{from.tv_nsec};
}

timespec spec_of(time_point from) {
  const auto whole = std::chrono::floor<std::chrono::seconds>(from);
  return {static_cast<time_t>(whole.count()), static_cast<long>((from - whole).count())};
}

} // namespace

timer_file::timer_file(process* owner, clock& time, clockid_t which)
    : file(owner), clock_(time), which_(which) {
  if (owner) owner->add(*this);
}

timer_file::~timer_file() {
  disarm();
  if (owner()) owner()->remove(*this);
}

int timer_file::set(int flags, const itimerspec& to, itimerspec* before) {
  if (before) {
    const auto left = timer_ == clock::none ? time_point{0} : due_ - clock_.now();
    *before = {spec_of(interval_), spec_of(std::max(left, time_point{0}))};
  }
  disarm();
  expirations_ = 0;
  interval_ = duration_of(to.it_interval);
  const auto value = duration_of(to.it_value);
  if (value == time_point{0}) return 0;
  const bool absolute = (flags & TFD_TIMER_ABSTIME) != 0;
  arm(absolute ? clock_.now() + (value - now()) : clock_.now() + value);
  return 0;
}

time_point timer_file::now() const noexcept {
  if (!owner()) return clock_.now();
  return which_ == CLOCK_BOOTTIME ? owner()->boot_time() : owner()->monotonic_time();
}

void timer_file::arm(time_point due) {
  due_ = due;
  if (due_ <= clock_.now()) return expired();
  timer_ = clock_.at(due_, [this] {
    timer_ = clock::none;
    expired();
  });
}

void timer_file::disarm() noexcept {
  clock_.cancel(std::exchange(timer_, clock::none));
}

void timer_file::expired() {
  ++expirations_;
  changed(POLLIN);
  if (interval_ != time_point{0}) arm(clock_.now() + interval_);
}

void timer_file::postpone(time_point by) {
  if (timer_ == clock::none || which_ == CLOCK_BOOTTIME) return;
  disarm();
  arm(due_ + by);
}

std::uint32_t timer_file::ready() const {
  return expirations_ != 0 ? POLLIN : 0;
}

ssize_t timer_file::read(void* to, std::size_t size) {
  if (size < sizeof expirations_) return -EINVAL;
  if (expirations_ == 0) return -EAGAIN;
  std::memcpy(to, &expirations_, sizeof expirations_);
  expirations_ = 0;
  return sizeof expirations_;
}

} // namespace deterministic

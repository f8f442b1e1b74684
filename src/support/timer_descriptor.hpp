#pragma once

#include <zklock/clock.hpp>

#include "support/unique_descriptor.hpp"

#include <sys/timerfd.h>

#include <algorithm>
#include <chrono>
#include <ctime>

namespace zklock::detail {

/// Makes a timer of `boot_clock` as a descriptor. Returns -1 if the system refuses, and sets errno.
///
/// Asio's timers stand still while the machine is suspended. A timer of `boot_clock` does not: it
/// expires when the machine resumes at the latest.
inline unique_descriptor make_timer_descriptor() noexcept {
  return unique_descriptor(::timerfd_create(CLOCK_BOOTTIME, TFD_NONBLOCK | TFD_CLOEXEC));
}

/// Lets the descriptor become readable at `time`, and not before; never at the clock's maximum.
inline void set_timer_descriptor(int timer, boot_clock::time_point time) noexcept {
  itimerspec when{};
  if (time != time.max()) {
    // Zero would stop the timer.
    const auto since_boot = std::max(time.time_since_epoch(), boot_clock::duration(1));
    const auto seconds = std::chrono::floor<std::chrono::seconds>(since_boot);
    when.it_value.tv_sec = seconds.count();
    when.it_value.tv_nsec = (since_boot - seconds).count();
  }
  ::timerfd_settime(timer, TFD_TIMER_ABSTIME, &when, nullptr);
}

} // namespace zklock::detail

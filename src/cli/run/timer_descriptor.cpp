#include "cli/run/timer_descriptor.hpp"

#include "cli/failure.hpp"

#include <sys/timerfd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <string>

namespace zklock::cli {

detail::unique_descriptor make_timer_descriptor() {
  detail::unique_descriptor result(::timerfd_create(CLOCK_BOOTTIME, TFD_NONBLOCK | TFD_CLOEXEC));
  if (result.get() < 0)
    throw failure(exit_code::system, std::string("cannot make a timer: ") + std::strerror(errno));
  return result;
}

void set_timer_descriptor(int timer, boot_clock::time_point time) noexcept {
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

} // namespace zklock::cli

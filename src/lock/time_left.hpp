#pragma once

#include <algorithm>
#include <chrono>

namespace zklock::detail {

/// What is left of a timeout for those that begin later than the whole.
class time_left {
 public:
  explicit time_left(std::chrono::nanoseconds timeout) noexcept
      : timeout_(timeout), begun_(clock::now()) {}

  /// A try stays one, and what has passed does not become one.
  std::chrono::nanoseconds operator()() const noexcept {
    using std::chrono::nanoseconds;
    if (timeout_ <= nanoseconds::zero() || timeout_ == nanoseconds::max()) return timeout_;
    return std::max<nanoseconds>(timeout_ - (clock::now() - begun_), nanoseconds(1));
  }

 private:
  using clock = std::chrono::steady_clock;

  std::chrono::nanoseconds timeout_;
  clock::time_point begun_;
};

} // namespace zklock::detail

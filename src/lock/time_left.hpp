#pragma once

#include <algorithm>
#include <chrono>

namespace zklock::detail {

/// Computes the rest of a timeout for the later parts of an operation.
class time_left {
 public:
  explicit time_left(std::chrono::nanoseconds timeout) noexcept
      : timeout_(timeout), begun_(clock::now()) {}

  /// A zero timeout stays zero, and a timeout that has passed does not become zero.
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

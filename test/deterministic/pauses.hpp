#pragma once

#include "service.hpp"

#include <algorithm>
#include <chrono>
#include <vector>

namespace deterministic {

/// For how long a process did not go on: its timeouts may be late by this.
class pauses {
 public:
  void begin(time_point now, std::chrono::nanoseconds duration) {
    all_ += duration;
    ends_.push_back(now + duration);
    last_end_ = std::max(last_end_, now + duration);
  }
  /// A pause that is over now.
  void add(time_point now, std::chrono::nanoseconds duration) noexcept {
    all_ += duration;
    last_end_ = std::max(last_end_, now);
  }
  /// When the last pause ends, or has ended.
  time_point last_end() const noexcept { return last_end_; }

  /// The time of all pauses so far.
  std::chrono::nanoseconds so_far(time_point now) const noexcept {
    auto result = all_;
    for (const auto end : ends_)
      result -= std::max<std::chrono::nanoseconds>(end - now, std::chrono::nanoseconds{0});
    return result;
  }

 private:
  std::chrono::nanoseconds all_{0};
  std::vector<time_point> ends_;
  time_point last_end_ = time_point::min();
};

} // namespace deterministic

#pragma once

#include <zklock/clock.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <utility>

namespace validity {

using time_point = zklock::boot_clock::time_point;
using duration = std::chrono::microseconds;

/// Planned events, in the order of their times; at equal times in the order of planning.
class clockwork {
 public:
  time_point now() const noexcept { return now_; }

  void at(time_point when, std::function<void()> what) {
    planned_.emplace(std::max(when, now_), std::move(what));
  }

  /// Runs the next event. Returns false where none is left before the end.
  bool step(time_point end) {
    const auto next = planned_.begin();
    if (next == planned_.end() || next->first > end) return false;
    now_ = next->first;
    const auto what = std::move(next->second);
    planned_.erase(next);
    what();
    return true;
  }

 private:
  time_point now_{std::chrono::hours(1)};
  std::multimap<time_point, std::function<void()>> planned_;
};

/// A direction of a connection: messages arrive in order, after any delay, or not at all once it
/// is cut.
class channel {
 public:
  explicit channel(clockwork& clock) noexcept : clock_(clock) {}

  void send(duration delay, std::function<void()> arrive) {
    last_ = std::max(last_, clock_.now() + delay);
    clock_.at(last_, [this, arrive = std::move(arrive)] {
      if (!cut_) arrive();
    });
  }

  void cut() noexcept { cut_ = true; }
  bool is_cut() const noexcept { return cut_; }

 private:
  clockwork& clock_;
  time_point last_{};
  bool cut_ = false;
};

} // namespace validity

#pragma once

#include "deterministic/service.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace ensemble_test {

/// The simulated clock, without a kernel.
class clockwork final : public deterministic::event_loop {
 public:
  using time_point = deterministic::time_point;

  time_point now() const noexcept override { return now_; }

  timer at(time_point when, std::function<void()> what) override {
    const auto which = ++last_;
    const auto time = std::max(when, now_);
    planned_.emplace(std::pair(time, which), std::move(what));
    times_.emplace(which, time);
    return which;
  }

  void cancel(timer which) noexcept override {
    const auto found = times_.find(which);
    if (found == times_.end()) return;
    planned_.erase({found->second, which});
    times_.erase(found);
  }

  void run_until(time_point end) {
    while (!planned_.empty() && planned_.begin()->first.first <= end) {
      const auto next = planned_.begin();
      now_ = next->first.first;
      const auto what = std::move(next->second);
      times_.erase(next->first.second);
      planned_.erase(next);
      what();
    }
    now_ = end;
  }

 private:
  time_point now_{std::chrono::hours(1)};
  timer last_ = 0;
  std::map<std::pair<time_point, timer>, std::function<void()>> planned_;
  std::map<timer, time_point> times_;
};

} // namespace ensemble_test

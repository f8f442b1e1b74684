#pragma once

#include <zklock/testing/relay.hpp>

#include "testing/relay_hooks.hpp"

#include <algorithm>
#include <atomic>

namespace zklock::test {

/// Counts how many requests of a kind are without an answer at a time.
class outstanding_requests {
 public:
  outstanding_requests(testing::relay& door, testing::operation kind)
      : sent_(testing::relay_hooks(door).when(
            testing::direction::to_server,
            [this, kind](const testing::frame& each) { return count(each, kind, 1); },
            testing::reaction::observe)),
        answered_(testing::relay_hooks(door).when(
            testing::direction::to_client,
            [this, kind](const testing::frame& each) { return count(each, kind, -1); },
            testing::reaction::observe)) {}

  int most() const noexcept { return most_; }

 private:
  bool count(const testing::frame& each, testing::operation kind, int change) {
    if (each.kind != kind) return false;
    now_ += change;
    most_ = std::max(most_.load(), now_.load());
    return false;
  }

  std::atomic<int> now_ = 0;
  std::atomic<int> most_ = 0;
  testing::hook sent_;
  testing::hook answered_;
};

} // namespace zklock::test

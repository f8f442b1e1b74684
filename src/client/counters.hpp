#pragma once

#include <zklock/stats.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace zklock::detail {

/// A number that one thread at a time changes and any thread reads. The strand of a client is that
/// thread, so a change needs no locked instruction.
template <class Number>
class counter {
 public:
  void add(Number more = 1) noexcept {
    value_.store(value_.load(std::memory_order_relaxed) + more, std::memory_order_relaxed);
  }
  void subtract(Number less = 1) noexcept {
    value_.store(value_.load(std::memory_order_relaxed) - less, std::memory_order_relaxed);
  }
  Number value() const noexcept { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<Number> value_{0};
};

using event_counter = counter<std::uint64_t>;

/// The numbers of a `duration_histogram`.
class duration_counters {
 public:
  void add(std::chrono::nanoseconds duration) noexcept {
    const auto seconds = std::chrono::duration<double>(duration).count();
    const auto& bounds = duration_histogram::upper_bounds;
    const auto bucket = std::lower_bound(bounds.begin(), bounds.end(), seconds) - bounds.begin();
    buckets_[static_cast<std::size_t>(bucket)].add();
    sum_.add(seconds);
  }

  void add_to(duration_histogram& total) const noexcept {
    for (std::size_t i = 0; i < buckets_.size(); ++i) {
      const auto count = buckets_[i].value();
      total.buckets[i] += count;
      total.count += count;
    }
    total.sum += std::chrono::duration<double>(sum_.value());
  }

 private:
  std::array<event_counter, duration_histogram::upper_bounds.size() + 1> buckets_;
  counter<double> sum_;
};

} // namespace zklock::detail

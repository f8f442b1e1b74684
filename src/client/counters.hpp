#pragma once

#include <zklock/stats.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace zklock::detail {

/// A number that any thread reads, and that a client changes on its strand only, so a change needs
/// no locked instruction. A thread that sees a change also sees all earlier changes of all
/// counters.
template <class Number>
class counter {
 public:
  void add(Number more = 1) noexcept {
    value_.store(value_.load(std::memory_order_relaxed) + more, std::memory_order_release);
  }
  Number value() const noexcept { return value_.load(std::memory_order_acquire); }

 private:
  std::atomic<Number> value_{0};
};

using event_counter = counter<std::uint64_t>;

/// A number to which several threads may add at a time.
template <class Number>
class shared_counter {
 public:
  void add(Number more = 1) noexcept { value_.fetch_add(more, std::memory_order_release); }
  void subtract(Number less = 1) noexcept { value_.fetch_sub(less, std::memory_order_relaxed); }
  Number value() const noexcept { return value_.load(std::memory_order_acquire); }

 private:
  std::atomic<Number> value_{0};
};

/// The numbers of a `duration_histogram`.
template <template <class> class Counter>
class duration_counters {
 public:
  void add(std::chrono::nanoseconds duration) noexcept {
    const auto seconds = std::chrono::duration<double>(duration).count();
    const auto& bounds = duration_histogram::upper_bounds;
    const auto found = std::lower_bound(bounds.begin(), bounds.end(), seconds);
    buckets_[static_cast<std::size_t>(found - bounds.begin())].add();
    sum_.add(duration.count());
  }

  duration_histogram read() const noexcept {
    duration_histogram result;
    for (std::size_t i = 0; i < buckets_.size(); ++i)
      result.count += result.buckets[i] = buckets_[i].value();
    result.sum = std::chrono::nanoseconds(sum_.value());
    return result;
  }

 private:
  std::array<Counter<std::uint64_t>, duration_histogram::upper_bounds.size() + 1> buckets_;
  Counter<std::chrono::nanoseconds::rep> sum_;
};

inline void add(duration_histogram& total, const duration_histogram& more) noexcept {
  for (std::size_t i = 0; i < total.buckets.size(); ++i)
    total.buckets[i] += more.buckets[i];
  total.count += more.count;
  total.sum += more.sum;
}

} // namespace zklock::detail

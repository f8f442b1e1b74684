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
  void subtract(Number less = 1) noexcept {
    value_.store(value_.load(std::memory_order_relaxed) - less, std::memory_order_release);
  }
  Number value() const noexcept { return value_.load(std::memory_order_acquire); }

 private:
  std::atomic<Number> value_{0};
};

using event_counter = counter<std::uint64_t>;

/// The numbers of a `duration_histogram`.
class duration_counters {
 public:
  static std::size_t bucket_of(std::chrono::nanoseconds duration) noexcept {
    const auto seconds = std::chrono::duration<double>(duration).count();
    const auto& bounds = duration_histogram::upper_bounds;
    return static_cast<std::size_t>(std::lower_bound(bounds.begin(), bounds.end(), seconds) -
                                    bounds.begin());
  }

  void add(std::chrono::nanoseconds duration) noexcept {
    buckets_[bucket_of(duration)].add();
    sum_.add(std::chrono::duration<double>(duration).count());
  }

  duration_histogram read() const noexcept {
    duration_histogram result;
    for (std::size_t i = 0; i < buckets_.size(); ++i)
      result.count += result.buckets[i] = buckets_[i].value();
    result.sum = std::chrono::duration<double>(sum_.value());
    return result;
  }

 private:
  std::array<event_counter, duration_histogram::upper_bounds.size() + 1> buckets_;
  counter<double> sum_;
};

/// The numbers of a `duration_histogram` to which several threads may add at a time.
class shared_duration_counters {
 public:
  void add(std::chrono::nanoseconds duration) noexcept {
    buckets_[duration_counters::bucket_of(duration)].fetch_add(1, std::memory_order_release);
    sum_.fetch_add(duration.count(), std::memory_order_relaxed);
  }

  duration_histogram read() const noexcept {
    duration_histogram result;
    for (std::size_t i = 0; i < buckets_.size(); ++i)
      result.count += result.buckets[i] = buckets_[i].load(std::memory_order_acquire);
    result.sum = std::chrono::nanoseconds(sum_.load(std::memory_order_relaxed));
    return result;
  }

 private:
  std::array<std::atomic<std::uint64_t>, duration_histogram::upper_bounds.size() + 1> buckets_{};
  std::atomic<std::chrono::nanoseconds::rep> sum_{0};
};

inline void add(duration_histogram& total, const duration_histogram& more) noexcept {
  for (std::size_t i = 0; i < total.buckets.size(); ++i)
    total.buckets[i] += more.buckets[i];
  total.count += more.count;
  total.sum += more.sum;
}

} // namespace zklock::detail

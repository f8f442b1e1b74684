#pragma once

#include "deterministic/service.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

namespace deterministic {

/// The simulated time, and the planned functions. Times are kept in a heap.
class clock final : public event_loop {
 public:
  static constexpr time_point never = time_point::max();
  /// The number of no timer.
  static constexpr timer none = 0;

  time_point now() const noexcept override { return now_; }
  timer at(time_point when, std::function<void()> what) override;
  void cancel(timer which) noexcept override;

  /// Calls a function after a duration.
  timer after(time_point delay, std::function<void()> what) {
    return at(now_ + delay, std::move(what));
  }

  /// When the next function is due; `never` without a function.
  time_point next() const noexcept { return heap_.empty() ? never : heap_.front().when; }

  /// Moves the time forward. Calls nothing.
  void advance(time_point to) noexcept {
    if (to > now_) now_ = to;
  }

  /// Calls the first function that is due. Returns false if there was none.
  bool fire();

  /// The number of functions that were called.
  std::uint64_t fired() const noexcept { return fired_; }

 private:
  struct entry {
    time_point when;
    std::uint64_t order;
    std::uint32_t slot;

    bool before(const entry& other) const noexcept {
      return when != other.when ? when < other.when : order < other.order;
    }
  };
  struct slot {
    std::function<void()> what;
    std::size_t place = 0;
    std::uint32_t generation = 1;
  };

  void put(std::size_t place, const entry& one) noexcept;
  void rise(std::size_t place, const entry& one) noexcept;
  void sink(std::size_t place, const entry& one) noexcept;
  void remove(std::size_t place) noexcept;
  void release(std::uint32_t which) noexcept;

  time_point now_{0};
  std::uint64_t order_ = 0;
  std::uint64_t fired_ = 0;
  std::vector<entry> heap_;
  std::vector<slot> slots_;
  std::vector<std::uint32_t> free_;
};

} // namespace deterministic

#pragma once

#include "client/acquisition.hpp"

#include <atomic>
#include <memory>
#include <utility>

namespace zklock::detail {

/// Holds that were destroyed, on their way to the strand that gives them back: a list without locks
/// that links the acquisitions themselves, so that adding to it allocates nothing.
///
/// Invariant: an acquisition is added at most once in its life, since its hold is released once. So
/// its links are written by the thread that adds it, and then by the strand. The exchange of
/// `last_` orders both: each `add` is a release, and later calls of `add` continue its release
/// sequence.
class returned_holds {
 public:
  /// Any thread.
  void add(std::shared_ptr<acquisition> returned) noexcept {
    acquisition& added = *returned;
    added.kept_alive = std::move(returned);
    added.returned_before = last_.load(std::memory_order_relaxed);
    while (!last_.compare_exchange_weak(added.returned_before, &added, std::memory_order_release,
                                        std::memory_order_relaxed)) {}
  }

  /// Calls a function for the acquisition of each hold, in the order in which they were added.
  template <class Function>
  void take_all(Function function) {
    acquisition* last = last_.exchange(nullptr, std::memory_order_acquire);
    acquisition* first = nullptr;
    while (last) {
      acquisition* const before = std::exchange(last->returned_before, first);
      first = std::exchange(last, before);
    }
    while (first) {
      const auto taken = std::move(first->kept_alive);
      first = taken->returned_before;
      function(*taken);
    }
  }

 private:
  std::atomic<acquisition*> last_{nullptr};
};

} // namespace zklock::detail

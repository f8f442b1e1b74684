#pragma once

#include "client/acquisition.hpp"

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>

namespace zklock::detail {

/// Holds that were destroyed, on their way to the strand that gives them back: a list without locks
/// that links the acquisitions themselves, so that adding to it allocates nothing.
///
/// Invariant: an acquisition is in the list while `returned` counts any hold of it that is not
/// taken out yet, and the list owns it as long.
class returned_holds {
 public:
  /// Any thread. Only the call that finds none of the acquisition's own holds on their way touches
  /// its links, and the strand has let go of them by then.
  void add(std::shared_ptr<acquisition> returned) noexcept {
    acquisition& added = *returned;
    if (added.returned.fetch_add(1, std::memory_order_acq_rel) != 0) return;
    added.kept_alive = std::move(returned);
    added.returned_before = last_.load(std::memory_order_relaxed);
    while (!last_.compare_exchange_weak(added.returned_before, &added, std::memory_order_release,
                                        std::memory_order_relaxed)) {}
  }

  /// Calls a function for each hold, in the order in which their acquisitions were added.
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
      for (auto holds = taken->returned.exchange(0, std::memory_order_acq_rel); holds != 0; --holds)
        function(*taken);
    }
  }

 private:
  std::atomic<acquisition*> last_{nullptr};
};

} // namespace zklock::detail

#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>

namespace zklock::detail {

/// Calls functions one at a time, without an executor: the thread that brings a function calls it,
/// and the functions that other threads bring meanwhile.
class turns {
 public:
  /// If the function throws, the functions that wait are dropped.
  template <class Function>
  void run(Function function) {
    {
      const std::lock_guard locked(mutex_);
      if (std::exchange(busy_, true))
        return waiting_.push_back(
            [kept = std::make_shared<Function>(std::move(function))] { (*kept)(); });
    }
    try {
      function();
      while (const auto next = take())
        next();
    } catch (...) {
      drop();
      throw;
    }
  }

 private:
  // Empty where none waits: the next one is not kept waiting then.
  std::function<void()> take() {
    const std::lock_guard locked(mutex_);
    busy_ = !waiting_.empty();
    if (!busy_) return nullptr;
    auto next = std::move(waiting_.front());
    waiting_.pop_front();
    return next;
  }

  void drop() noexcept {
    std::deque<std::function<void()>> dropped;
    const std::lock_guard locked(mutex_);
    dropped.swap(waiting_);
    busy_ = false;
  }

  std::mutex mutex_;
  bool busy_ = false;
  std::deque<std::function<void()>> waiting_;
};

} // namespace zklock::detail

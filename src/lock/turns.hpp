#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>

namespace zklock::detail {

/// Calls functions one at a time, without an executor: the thread that brings a function calls it,
/// and then each function that another thread has brought meanwhile.
class turns {
 public:
  template <class Function>
  void run(Function function) noexcept {
    {
      const std::lock_guard locked(mutex_);
      if (std::exchange(busy_, true))
        return waiting_.push_back(
            [kept = std::make_shared<Function>(std::move(function))] { (*kept)(); });
    }
    function();
    while (const auto next = take())
      next();
  }

 private:
  // Returns an empty function, and ends the turn, if no function waits.
  std::function<void()> take() {
    const std::lock_guard locked(mutex_);
    busy_ = !waiting_.empty();
    if (!busy_) return nullptr;
    auto next = std::move(waiting_.front());
    waiting_.pop_front();
    return next;
  }

  std::mutex mutex_;
  bool busy_ = false;
  std::deque<std::function<void()>> waiting_;
};

} // namespace zklock::detail

#pragma once

#include <zklock/observer.hpp>

#include <memory>
#include <mutex>
#include <utility>

namespace zklock::detail {

/// The program's observer. Any thread.
///
/// Invariant: the mutex is a leaf, and the observer is never destroyed under it.
class shared_observer {
 public:
  explicit shared_observer(std::shared_ptr<observer> given) noexcept
      : is_given_(given != nullptr), observer_(std::move(given)) {}

  /// Null if there is none, and after `drop`.
  std::shared_ptr<observer> get() const {
    if (!is_given_) return nullptr;
    const std::lock_guard locked(mutex_);
    return observer_;
  }

  void drop() noexcept {
    std::shared_ptr<observer> dropped;
    const std::lock_guard locked(mutex_);
    dropped.swap(observer_);
  }

 private:
  const bool is_given_;
  mutable std::mutex mutex_;
  std::shared_ptr<observer> observer_;
};

} // namespace zklock::detail

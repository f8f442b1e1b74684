#pragma once

#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>

namespace zklock::detail {

/// An operation that ends with the execution context of a client, although handlers of other
/// contexts refer to it.
class dependent {
 public:
  /// Called on the thread that destroys the context.
  virtual void context_gone() noexcept = 0;

 protected:
  ~dependent() = default;
};

/// The operations under way that end with the execution context of a client. Owns the operations.
/// Any thread.
class dependents {
 public:
  void add(std::shared_ptr<dependent> one) {
    const std::lock_guard locked(mutex_);
    const auto* const key = one.get();
    all_.emplace(key, std::move(one));
  }

  /// The caller must own the operation, too.
  void remove(const dependent& one) noexcept {
    const std::lock_guard locked(mutex_);
    all_.erase(&one);
  }

  void end_all() noexcept {
    decltype(all_) ending;
    {
      const std::lock_guard locked(mutex_);
      ending.swap(all_);
    }
    for (const auto& [key, one] : ending)
      one->context_gone();
  }

 private:
  std::mutex mutex_;
  std::unordered_map<const dependent*, std::shared_ptr<dependent>> all_;
};

} // namespace zklock::detail

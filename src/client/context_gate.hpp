#pragma once

#include <atomic>
#include <cstdint>
#include <thread>

namespace zklock::detail {

/// Keeps an execution context from being destroyed while other threads use it.
///
/// Invariant: `shut` returns once no thread is inside, and no thread comes in after that.
class context_gate {
 public:
  /// Whether the context may be used. If so, `leave` must be called afterwards.
  bool enter() noexcept {
    if ((state_.fetch_add(one, std::memory_order_acquire) & is_shut_bit) == 0) return true;
    leave();
    return false;
  }
  void leave() noexcept { state_.fetch_sub(one, std::memory_order_release); }

  bool is_shut() const noexcept {
    return (state_.load(std::memory_order_acquire) & is_shut_bit) != 0;
  }

  /// Waits for the threads that are inside. They only post: none of them waits for the caller.
  /// `alone`: no thread that was inside exists any more, as in the child of a fork.
  void shut(bool alone) noexcept {
    state_.fetch_or(is_shut_bit, std::memory_order_acq_rel);
    while (!alone && state_.load(std::memory_order_acquire) != is_shut_bit)
      std::this_thread::yield();
  }

  /// In the child of a fork.
  void reopen() noexcept { state_.store(0, std::memory_order_release); }

 private:
  static constexpr std::uint64_t is_shut_bit = 1;
  static constexpr std::uint64_t one = 2;

  std::atomic<std::uint64_t> state_{0};
};

} // namespace zklock::detail

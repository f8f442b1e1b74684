#pragma once

#include "zookeeper/process.hpp"

#include <atomic>
#include <cstdint>
#include <thread>

namespace zklock::detail {

/// Keeps an execution context from being destroyed while other threads use it. In the child of a
/// fork no thread comes in, unless the context was notified of the fork.
///
/// Invariant: `shut` returns once no thread is inside, and no thread comes in after that.
class context_gate {
 public:
  /// While such an object is true, the execution context is not destroyed: functions can be posted
  /// to it.
  class inside {
   public:
    explicit inside(context_gate& gate) noexcept : gate_(gate.come_in() ? &gate : nullptr) {}
    ~inside() {
      if (gate_) gate_->leave();
    }
    inside(const inside&) = delete;
    inside& operator=(const inside&) = delete;

    explicit operator bool() const noexcept { return gate_ != nullptr; }

   private:
    context_gate* const gate_;
  };

  bool is_shut() const noexcept {
    return (state_.load(std::memory_order_acquire) & is_shut_bit) != 0;
  }

  /// Whether this is the process of the context, or the context was notified of the fork.
  bool is_current() const noexcept { return process_.is_current(); }

  /// Waits for the threads that are inside. They only post: none of them waits for the caller. In
  /// the child of a fork no thread that was inside exists any more.
  void shut() noexcept {
    state_.fetch_or(is_shut_bit, std::memory_order_acq_rel);
    while (is_current() && state_.load(std::memory_order_acquire) != is_shut_bit)
      std::this_thread::yield();
  }

  /// The context was notified of a fork, in the child.
  void forked() noexcept {
    state_.store(0, std::memory_order_release);
    process_ = {};
  }

 private:
  bool come_in() noexcept {
    if (!is_current()) return false;
    if ((state_.fetch_add(one, std::memory_order_acquire) & is_shut_bit) == 0) return true;
    leave();
    return false;
  }
  void leave() noexcept { state_.fetch_sub(one, std::memory_order_release); }

  static constexpr std::uint64_t is_shut_bit = 1;
  static constexpr std::uint64_t one = 2;

  std::atomic<std::uint64_t> state_{0};
  zookeeper::process_mark process_;
};

} // namespace zklock::detail

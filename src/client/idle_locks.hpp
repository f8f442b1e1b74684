#pragma once

#include "client/lock_in_use.hpp"

#include <boost/intrusive/list.hpp>

#include <chrono>
#include <cstddef>

namespace zklock::detail {

/// The unused locks that a client remembers, in the order of their last use.
///
/// Invariant: a lock is in the list if it was idle, without late writes, when `update` was called
/// for it last.
class idle_locks {
 public:
  /// Called after each event of a lock.
  void update(lock_in_use& used) {
    const bool is_idle = used.driver().idle() && !used.driver().state().has_late_writes();
    if (used.idle_hook.is_linked() == is_idle) return;
    if (is_idle) {
      used.idle_since = std::chrono::steady_clock::now();
      idle_.push_back(used);
      ++count_;
    } else {
      remove(used);
    }
  }

  void remove(lock_in_use& used) noexcept {
    if (!used.idle_hook.is_linked()) return;
    used.idle_hook.unlink();
    --count_;
  }

  /// Returns the least recently used lock if more locks are idle than a client remembers; null
  /// otherwise.
  lock_in_use* surplus() noexcept { return count_ > remembered ? &idle_.front() : nullptr; }

  /// Returns the least recently used lock if it was not used since `then`; null otherwise.
  lock_in_use* unused_since(std::chrono::steady_clock::time_point then) noexcept {
    return idle_.empty() || idle_.front().idle_since > then ? nullptr : &idle_.front();
  }

  void clear() noexcept {
    idle_.clear();
    count_ = 0;
  }

 private:
  static constexpr std::size_t remembered = 1024;

  using by_hook = intrusive::member_hook<lock_in_use, decltype(lock_in_use::idle_hook),
                                         &lock_in_use::idle_hook>;

  intrusive::list<lock_in_use, by_hook, intrusive::constant_time_size<false>> idle_;
  std::size_t count_ = 0;
};

} // namespace zklock::detail

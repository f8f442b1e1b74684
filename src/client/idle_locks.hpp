#pragma once

#include "client/idle_place.hpp"
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
    idle_place& place = used.idle();
    if (place.hook_.is_linked() == is_idle) return;
    if (is_idle) {
      place.since_ = std::chrono::steady_clock::now();
      idle_.push_back(place);
      ++count_;
    } else {
      remove(used);
    }
  }

  void remove(lock_in_use& used) noexcept {
    if (!used.idle().hook_.is_linked()) return;
    used.idle().hook_.unlink();
    --count_;
  }

  /// Returns the least recently used lock if more locks are idle than a client remembers; null
  /// otherwise.
  lock_in_use* surplus() noexcept { return count_ > remembered ? &idle_.front().of_ : nullptr; }

  /// Returns the least recently used lock if it was not used since `then`; null otherwise.
  lock_in_use* unused_since(std::chrono::steady_clock::time_point then) noexcept {
    return idle_.empty() || idle_.front().since_ > then ? nullptr : &idle_.front().of_;
  }

  void clear() noexcept {
    idle_.clear();
    count_ = 0;
  }

 private:
  static constexpr std::size_t remembered = 1024;

  boost::intrusive::list<
      idle_place,
      boost::intrusive::member_hook<idle_place, decltype(idle_place::hook_), &idle_place::hook_>,
      boost::intrusive::constant_time_size<false>>
      idle_;
  std::size_t count_ = 0;
};

} // namespace zklock::detail

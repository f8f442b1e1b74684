#pragma once

#include "client/client_core.hpp"
#include "client/lock_in_use.hpp"
#include "client/operation.hpp"

#include <boost/intrusive/list.hpp>
#include <boost/intrusive/set.hpp>

#include <atomic>
#include <cstddef>
#include <list>
#include <set>
#include <utility>

namespace zklock::detail {

/// Counts the cached entries of a client. The strand takes an entry that is held on the fast path
/// for a cached entry, so such entries are counted apart. Any thread, except `add` and `clear`.
/// Invariant: each entry that is counted as used is counted as unused later.
class cache_counter {
 public:
  /// The number of cached entries, as the strand knows them.
  std::size_t known() const noexcept { return known_.load(std::memory_order_relaxed); }
  /// The number of cached entries that are not held.
  std::size_t unused() const noexcept {
    const auto used = used_.load(std::memory_order_relaxed);
    const auto all = known();
    return all > used ? all - used : 0;
  }

  void add(std::size_t now, std::size_t before) noexcept {
    known_.store(known() + now - before, std::memory_order_relaxed);
  }
  void clear() noexcept { known_.store(0, std::memory_order_relaxed); }

  /// A cached entry is held on the fast path from now on, or is not any more.
  void note_used() noexcept { used_.fetch_add(1, std::memory_order_relaxed); }
  void note_unused() noexcept { used_.fetch_sub(1, std::memory_order_relaxed); }

 private:
  std::atomic<std::size_t> known_{0};
  std::atomic<std::size_t> used_{0};
};

/// The locks of which a client caches entries. Evicts the entries of locks that are unused for
/// long, and of locks for which the budget has no room: by second chance (Corbato 1968), so a grant
/// on the fast path costs nothing. Used on the client's strand only. Invariant: a lock is in the
/// ring and in the order of time if any of its entries was cached when `update` was called last.
class cached_locks {
 public:
  explicit cached_locks(client_core& core);

  /// Called after each event of a lock.
  void update(lock_in_use& used);

  /// Counts the cached entries of a lock. A lock without a cached entry stays listed until its next
  /// event.
  void count(lock_in_use& used);

  /// Evicts all entries. Completes the operation, if not null, once none of their nodes is left.
  void drop_all(const operation<error_code>& op);

  cache_counter& counter() noexcept { return counter_; }
  const cache_counter& counter() const noexcept { return counter_; }

  /// The client is closed, or has failed for good: no entry is cached any more.
  void end(errc why);

  /// The execution context is being destroyed.
  void abandon() noexcept;

 private:
  using clock = cache_times::clock;

  /// A call of `drop_all`, and its entries of which nodes may exist.
  struct drop {
    operation<error_code> done;
    std::set<std::pair<const lock_in_use*, queue::entry_id>> left{};
  };

  struct earlier {
    bool operator()(const cached_place& a, const cached_place& b) const noexcept {
      return a.look_at < b.look_at;
    }
  };

  /// Returns when the entries of a lock are evicted unless the lock is used before.
  clock::time_point until(lock_in_use& used) const noexcept;
  static void note_conflicts(lock_in_use& used);
  bool is_full() const noexcept;
  void look_again_at(clock::time_point when);
  void look_at_due();
  void evict();
  void clear() noexcept;
  void note_gone(const lock_in_use& used);

  using by_hook = boost::intrusive::member_hook<cached_place, decltype(cached_place::ring_hook),
                                                &cached_place::ring_hook>;
  using by_look_hook =
      boost::intrusive::member_hook<cached_place, decltype(cached_place::look_hook),
                                    &cached_place::look_hook>;

  client_core& core_;
  // The hand is at the front.
  boost::intrusive::list<cached_place, by_hook, boost::intrusive::constant_time_size<false>> ring_;
  boost::intrusive::multiset<cached_place, by_look_hook, boost::intrusive::compare<earlier>,
                             boost::intrusive::constant_time_size<false>>
      by_time_;
  cache_counter counter_;
  std::size_t bytes_ = 0;
  std::list<drop> drops_;
  client_timer timer_;
  clock::time_point looks_at_ = clock::time_point::max();
};

} // namespace zklock::detail

#pragma once

#include "client/cache_counter.hpp"
#include "client/cached_place.hpp"
#include "client/client_core.hpp"
#include "client/lock_in_use.hpp"
#include "client/operation.hpp"

#include <boost/asio/steady_timer.hpp>
#include <boost/intrusive/list.hpp>
#include <boost/intrusive/set.hpp>

#include <chrono>
#include <cstddef>
#include <list>
#include <optional>
#include <unordered_map>
#include <vector>

namespace zklock::detail {

/// The locks of which a client caches entries. Evicts the entries of locks that are unused for
/// long, and of locks for which the budget has no room. Used on the client's strand only.
///
/// Eviction is by second chance (Corbato 1968): the locks form a ring, and the lock at the hand is
/// evicted unless the lock was used since the hand passed it last. A grant on the fast path then
/// costs nothing: the turn of the entry shows the use.
///
/// Each event is O(log n) in the number of locks.
///
/// Invariant: a lock is in the ring and in the order of time if any of its entries was cached when
/// `update` was called last.
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

  /// Counts the cached entries, and the entries that are held on the fast path.
  cache_counter& counter() noexcept { return counter_; }
  const cache_counter& counter() const noexcept { return counter_; }

  /// The client is closed, or has failed for good: no entry is cached any more.
  void end(errc why);

  /// The execution context is being destroyed.
  void abandon() noexcept;

 private:
  using clock = keep_times::clock;

  /// A call of `drop_all`, and the number of its entries of which nodes may exist.
  struct drop {
    operation<error_code> done;
    std::size_t left = 0;
  };
  using drops = std::list<drop>;

  /// An entry that is being evicted, and the call that evicts it.
  struct leaving {
    queue::entry_id entry;
    drops::iterator by;
  };

  struct earlier {
    bool operator()(const cached_place& a, const cached_place& b) const noexcept {
      return a.look_at_ < b.look_at_;
    }
  };

  /// Returns when the entries of a lock are evicted unless the lock is used before.
  clock::time_point until(lock_in_use& used) const noexcept;
  static void note_conflicts(lock_in_use& used);
  bool is_full() const noexcept;
  void look_again_at(clock::time_point when);
  void look_at_due();
  void evict();
  void note_gone(const lock_in_use& used);

  using by_hook = boost::intrusive::member_hook<cached_place, decltype(cached_place::ring_hook_),
                                                &cached_place::ring_hook_>;
  using by_look_hook =
      boost::intrusive::member_hook<cached_place, decltype(cached_place::look_hook_),
                                    &cached_place::look_hook_>;

  client_core& core_;
  // The hand is at the front.
  boost::intrusive::list<cached_place, by_hook, boost::intrusive::constant_time_size<false>> ring_;
  boost::intrusive::multiset<cached_place, by_look_hook, boost::intrusive::compare<earlier>,
                             boost::intrusive::constant_time_size<false>>
      by_time_;
  cache_counter counter_;
  std::size_t bytes_ = 0;
  drops drops_;
  std::unordered_map<const lock_in_use*, std::vector<leaving>> leaving_;
  // Gone with the execution context.
  std::optional<boost::asio::steady_timer> timer_;
  clock::time_point looks_at_ = clock::time_point::max();
};

} // namespace zklock::detail

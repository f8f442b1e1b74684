#pragma once

#include "client/lock_in_use.hpp"
#include "client/operation.hpp"

#include <boost/asio/steady_timer.hpp>
#include <boost/intrusive/list.hpp>
#include <boost/intrusive/set.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <list>
#include <optional>
#include <unordered_map>
#include <vector>

namespace zklock::detail {

class client_impl;

/// The locks of which a client caches entries. Evicts locks that are not used for long, and locks
/// for which there is no room. Used on the client's strand only.
///
/// Room is made by second chance (Corbato 1968): the locks stand in a ring, and the lock at the
/// hand is evicted, unless it was used since the hand has passed it. A grant outside the strand
/// then costs nothing: the turn of the entry shows the use.
///
/// Each event takes a bounded number of steps, and the steps of a search tree.
///
/// Invariant: a lock is in both lists if an entry of it was cached when `update` was called last.
class cached_locks {
 public:
  explicit cached_locks(client_impl& client);

  /// Called after each event of a lock.
  void update(lock_in_use& used);

  /// Counts what a lock keeps now. A lock that keeps nothing stays listed until its next event.
  void count(lock_in_use& used);

  /// Gives all back. Completes the operation, if there is one, when none of their nodes is left.
  void drop_all(const operation<error_code>& op);

  /// How many entries are kept. Any thread.
  std::size_t count() const noexcept { return count_.load(std::memory_order_relaxed); }

  /// The client is closed, or has failed for good: nothing is kept any more.
  void end(errc why);

  /// The execution context is being destroyed.
  void abandon() noexcept;

 private:
  using clock = keep_times::clock;

  /// A call of `drop_all`, and how many entries are left of which nodes may exist.
  struct drop {
    operation<error_code> done;
    std::size_t left = 0;
  };
  using drops = std::list<drop>;

  /// An entry that is being dropped, and by which call.
  struct leaving {
    queue::entry_id entry;
    drops::iterator by;
  };

  struct earlier {
    bool operator()(const lock_in_use& a, const lock_in_use& b) const noexcept {
      return a.look_at < b.look_at;
    }
  };

  /// Until when what a lock keeps is kept if it is not used.
  clock::time_point until(const lock_in_use& used) const noexcept;
  static std::size_t bytes_of(const lock_in_use& used) noexcept;
  bool is_full() const noexcept;
  void look_again_at(clock::time_point when);
  void look_at_due();
  void evict();
  void note_gone(const lock_in_use& used);

  using by_hook = intrusive::member_hook<lock_in_use, decltype(lock_in_use::cached_hook),
                                         &lock_in_use::cached_hook>;
  using by_look_hook = intrusive::member_hook<lock_in_use, decltype(lock_in_use::look_hook),
                                              &lock_in_use::look_hook>;

  client_impl& client_;
  // The hand is at the front.
  intrusive::list<lock_in_use, by_hook, intrusive::constant_time_size<false>> ring_;
  intrusive::multiset<lock_in_use, by_look_hook, intrusive::compare<earlier>,
                      intrusive::constant_time_size<false>>
      by_time_;
  std::atomic<std::size_t> count_{0};
  std::size_t bytes_ = 0;
  drops drops_;
  std::unordered_map<const lock_in_use*, std::vector<leaving>> leaving_;
  // Gone with the execution context.
  std::optional<boost::asio::steady_timer> timer_;
  clock::time_point looks_at_ = clock::time_point::max();
};

} // namespace zklock::detail

#pragma once

#include "client/lock_in_use.hpp"
#include "client/operation.hpp"

#include <boost/asio/steady_timer.hpp>
#include <boost/intrusive/list.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

namespace zklock::detail {

class client_impl;

/// The locks of which a client keeps entries that nothing uses, in the order of their last use.
/// Gives back those that are not used for long, and those for which there is no room. Used on the
/// client's strand only.
///
/// Invariant: a lock is in the list if an entry of it was kept when `update` was called last.
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

  /// A call of `drop_all`, and the entries of which nodes may be left.
  struct drop {
    operation<error_code> done;
    std::vector<std::pair<const lock_in_use*, queue::entry_id>> left;
  };

  /// Until when what a lock keeps is kept if it is not used.
  clock::time_point until(const lock_in_use& used) const noexcept;
  static std::size_t bytes_of(const lock_in_use& used) noexcept;
  void look_again_at(clock::time_point when);
  void give_back_some();
  void note_gone(const lock_in_use& used);

  using by_hook = intrusive::member_hook<lock_in_use, decltype(lock_in_use::cached_hook),
                                         &lock_in_use::cached_hook>;

  client_impl& client_;
  intrusive::list<lock_in_use, by_hook, intrusive::constant_time_size<false>> locks_;
  std::atomic<std::size_t> count_{0};
  std::size_t bytes_ = 0;
  std::vector<drop> drops_;
  // Gone with the execution context.
  std::optional<boost::asio::steady_timer> timer_;
  clock::time_point looks_at_ = clock::time_point::max();
};

} // namespace zklock::detail

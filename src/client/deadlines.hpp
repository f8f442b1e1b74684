#pragma once

#include "client/acquisition.hpp"
#include "client/lock_in_use.hpp"

#include <boost/asio/steady_timer.hpp>
#include <boost/intrusive/set.hpp>

#include <optional>

namespace zklock::detail {

class client_impl;

/// The acquisitions that have a deadline, with one timer for the earliest: the timeout of a waiter,
/// and the hold limit of a holder. Those that wait without the strand have it in their lock's.
///
/// Invariant: unless it is empty, the timer expires no later than the earliest deadline.
///
/// Used on the client's strand only.
class deadlines {
 public:
  using time_point = acquisition::time_point;

  explicit deadlines(client_impl& client);

  void add(acquisition& c);
  /// A lock, with the earliest deadline of those that wait without the strand.
  void add(lock_in_use& used);

  /// An acquisition was granted: its hold limit, if any, starts at the time that `held_since`
  /// returns. Another reading of the clock could differ by as much as this thread was preempted.
  void granted(acquisition& c, time_point since);

  static void remove(acquisition& c) noexcept {
    if (c.deadline_hook.is_linked()) c.deadline_hook.unlink();
  }

  /// The client is closed.
  void stop() noexcept;

  /// The execution context is being destroyed.
  void abandon() noexcept;

 private:
  struct earlier {
    bool operator()(const auto& a, const auto& b) const noexcept { return a.deadline < b.deadline; }
  };
  template <class T>
  using by_deadline =
      intrusive::multiset<T,
                          intrusive::member_hook<T, decltype(T::deadline_hook), &T::deadline_hook>,
                          intrusive::compare<earlier>, intrusive::constant_time_size<false>>;

  time_point earliest() const noexcept;
  std::shared_ptr<acquisition> take_due(time_point now);
  lock_in_use* take_due_line(time_point now) noexcept;
  void wait();
  void passed(acquisition& c);
  error_code out_of_time(const acquisition& c) const noexcept;

  client_impl& client_;
  std::optional<boost::asio::steady_timer> timer_;
  // When the timer expires.
  time_point awaited_ = time_point::max();
  by_deadline<acquisition> by_time_;
  by_deadline<lock_in_use> lines_;
};

} // namespace zklock::detail

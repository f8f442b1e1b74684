#pragma once

#include "client/acquisition.hpp"

#include <boost/asio/steady_timer.hpp>
#include <boost/intrusive/set.hpp>

#include <optional>

namespace zklock::detail {

class client_impl;

/// The acquisitions that have a deadline, with one timer for the earliest: the timeout of a waiter,
/// and the hold limit of a holder.
///
/// Invariant: unless it is empty, the timer expires no later than the earliest deadline.
///
/// Used on the client's strand only.
class deadlines {
 public:
  using time_point = acquisition::time_point;

  explicit deadlines(client_impl& client);

  void add(acquisition& c);

  /// An acquisition was granted: its hold limit, if any, starts now.
  void granted(acquisition& c);

  static void remove(acquisition& c) noexcept {
    if (c.deadline_hook.is_linked()) c.deadline_hook.unlink();
  }

  /// The client is closed.
  void stop() noexcept;

  /// The execution context is being destroyed.
  void abandon() noexcept;

 private:
  struct earlier {
    bool operator()(const acquisition& a, const acquisition& b) const noexcept {
      return a.deadline < b.deadline;
    }
  };
  using by_hook = intrusive::member_hook<acquisition, decltype(acquisition::deadline_hook),
                                         &acquisition::deadline_hook>;

  time_point earliest() const noexcept;
  std::shared_ptr<acquisition> take_due(time_point now);
  void wait();
  void passed(acquisition& c);
  error_code out_of_time(const acquisition& c) const noexcept;

  client_impl& client_;
  std::optional<boost::asio::steady_timer> timer_;
  // When the timer expires.
  time_point awaited_ = time_point::max();
  intrusive::multiset<acquisition, by_hook, intrusive::compare<earlier>,
                      intrusive::constant_time_size<false>>
      by_time_;
};

} // namespace zklock::detail

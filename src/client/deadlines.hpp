#pragma once

#include "client/client_core.hpp"
#include "client/lock_definition.hpp"
#include "client/lock_line.hpp"

#include <boost/intrusive/set.hpp>

#include <functional>
#include <memory>
#include <utility>

namespace zklock::detail {

/// When the strand looks at the deadlines of a lock's line.
class line_watch {
 public:
  using time_point = lock_line::time_point;

  explicit line_watch(std::shared_ptr<const lock_definition> lock) noexcept
      : lock_(std::move(lock)) {}

  const std::shared_ptr<const lock_definition>& lock() const noexcept { return lock_; }
  lock_line& line() const noexcept { return *lock_->acquisitions; }

 private:
  friend class deadlines;

  const std::shared_ptr<const lock_definition> lock_;
  time_point time_ = time_point::max();
  boost::intrusive::set_member_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>>
      hook_;
};

/// The lines whose acquisitions have deadlines (the timeout of a waiter, the hold limit of a
/// holder), with a timer for the earliest deadline. Used on the client's strand only. Invariant:
/// the timer expires no later than the earliest deadline.
class deadlines {
 public:
  using time_point = line_watch::time_point;
  using function = std::function<void(const std::shared_ptr<const lock_definition>&)>;

  /// `passed` is called when deadlines of a lock's acquisitions have passed.
  deadlines(client_core& core, function passed);

  /// Has the strand look at a line when its earliest deadline has passed.
  void watch(line_watch& of);

  /// The client is closed.
  void stop() noexcept;

 private:
  struct earlier {
    bool operator()(const line_watch& a, const line_watch& b) const noexcept {
      return a.time_ < b.time_;
    }
  };

  void wait();
  void look(line_watch& at);

  const function passed_;
  client_timer timer_;
  // When the timer expires.
  time_point awaited_ = time_point::max();
  boost::intrusive::multiset<
      line_watch,
      boost::intrusive::member_hook<line_watch, decltype(line_watch::hook_), &line_watch::hook_>,
      boost::intrusive::compare<earlier>, boost::intrusive::constant_time_size<false>>
      lines_;
};

} // namespace zklock::detail

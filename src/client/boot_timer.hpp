#pragma once

#include <zklock/clock.hpp>

#include "client/context_guard.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/execution_context.hpp>
#include <boost/intrusive/set_hook.hpp>

#include <memory>

namespace zklock::detail {

class boot_timers;

/// A timer of `boot_clock`, which goes on while the machine is suspended, in any execution context.
/// A timer keeps its context busy while its time is ahead. A timer whose context is destroyed never
/// expires. Must be owned by a `shared_ptr`. Any thread, except the destructor.
class boot_timer : public std::enable_shared_from_this<boot_timer> {
 public:
  /// Adds the service of the timers to a context, which must be done before another thread may
  /// destroy the context: Asio does not lock the list of services where it shuts them down.
  static void prepare(boost::asio::execution_context& context);

  explicit boot_timer(const boost::asio::any_io_executor& executor);
  virtual ~boot_timer();
  boot_timer(const boot_timer&) = delete;
  boot_timer& operator=(const boot_timer&) = delete;

  /// Replaces the time at which the timer expires. The clock's maximum: never.
  void expires_at(boot_clock::time_point time);

  /// Called once the time has come, by a thread that runs the context, or by `boot_timer_link`.
  virtual void expired() = 0;

 private:
  virtual void destroyed() noexcept {}

  friend class boot_timers;
  friend class boot_timer_link;

  const std::shared_ptr<boot_timers> all_;
  // Protected by the mutex of `boot_timers`.
  boot_clock::time_point time_{};
  boost::intrusive::set_member_hook<> hook_;
};

/// A timer in the hands of threads that know a reason to look at the clock, but may not run the
/// timer's context. The last work of the context may end at any moment, and the program then
/// destroys the context. Any thread.
class boot_timer_link {
 public:
  /// The context of the timer exists.
  explicit boot_timer_link(const std::shared_ptr<boot_timer>& timer);

  /// Whether the timer is destroyed.
  bool is_broken() const noexcept { return timer_.expired(); }

  /// Has the timer expire, unless its context is destroyed.
  void expire() const;

  /// The execution context of the hold that the timer watches is being destroyed. A timer of
  /// another context expires; a timer of this context is destroyed with it.
  void hold_lost_with(const boost::asio::execution_context& gone) const;

 private:
  const boost::asio::execution_context* context_;
  std::shared_ptr<context_guard> guard_;
  std::weak_ptr<boot_timer> timer_;
};

} // namespace zklock::detail

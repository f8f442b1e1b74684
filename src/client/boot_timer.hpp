#pragma once

#include <zklock/clock.hpp>

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
  explicit boot_timer(const boost::asio::any_io_executor& executor);
  virtual ~boot_timer();
  boot_timer(const boot_timer&) = delete;
  boot_timer& operator=(const boot_timer&) = delete;

  /// Replaces the time at which the timer expires. The clock's maximum: never.
  void expires_at(boot_clock::time_point time);

  const boost::asio::execution_context& context() const noexcept;

  /// Called once the time has come, by a thread that runs the context. May also be called by any
  /// other thread that knows a reason to look at the clock.
  virtual void expired() = 0;

  /// The execution context of the hold that the timer watches is being destroyed. A timer of
  /// another context expires; a timer of this context is destroyed with it.
  void hold_lost_with(const boost::asio::execution_context& gone) {
    &context() == &gone ? destroyed() : expired();
  }

 private:
  virtual void destroyed() noexcept {}

  friend class boot_timers;

  const std::shared_ptr<boot_timers> all_;
  // Protected by the mutex of `boot_timers`.
  boot_clock::time_point time_{};
  boost::intrusive::set_member_hook<> hook_;
};

} // namespace zklock::detail

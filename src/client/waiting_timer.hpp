#pragma once

#include <zklock/clock.hpp>

#include <boost/intrusive/set_hook.hpp>

#include <memory>

namespace zklock::detail {

/// A timer as the timers of its execution context see it. Must be owned by a `shared_ptr`.
class waiting_timer : public std::enable_shared_from_this<waiting_timer> {
 public:
  waiting_timer(const waiting_timer&) = delete;
  waiting_timer& operator=(const waiting_timer&) = delete;

  /// Called once the time has come, by a thread that runs the context. May also be called by any
  /// other thread that knows a reason to look at the clock.
  virtual void expired() = 0;

 protected:
  waiting_timer() = default;
  ~waiting_timer() = default;

 private:
  friend class boot_timers;

  // Protected by the mutex of `boot_timers`.
  boot_clock::time_point time_{};
  boost::intrusive::set_member_hook<> hook_;
};

} // namespace zklock::detail

#pragma once

#include <zklock/clock.hpp>

#include "client/waiting_timer.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/execution_context.hpp>

#include <memory>

namespace zklock::detail {

class boot_timers;

/// A timer of `boot_clock`, which goes on while the machine is suspended, in any execution context.
/// All timers of a context share a descriptor.
///
/// A timer keeps its context busy while its time is ahead. A timer whose context is destroyed never
/// expires. Must be owned by a `shared_ptr`.
///
/// Thread safety: safe, except destruction.
class boot_timer : public waiting_timer {
 public:
  explicit boot_timer(const boost::asio::any_io_executor& executor);
  virtual ~boot_timer();

  /// Replaces the time at which the timer expires. The clock's maximum: never.
  void expires_at(boot_clock::time_point time);

  const boost::asio::execution_context& context() const noexcept;

 private:
  const std::shared_ptr<boot_timers> all_;
};

} // namespace zklock::detail

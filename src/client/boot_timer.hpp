#pragma once

#include <zklock/clock.hpp>

#include "zookeeper/executor.hpp"
#include "zookeeper/process.hpp"

#include <utility>

namespace zklock::detail {

/// A timer of `boot_clock`: a descriptor. If none can be made, it is one of Asio's timers, which
/// stand still while the machine is suspended. That one expires early, again and again.
///
/// Used on one strand only.
class boot_timer {
 public:
  explicit boot_timer(const zookeeper::strand& executor)
      : descriptor_(executor), substitute_(executor) {}
  ~boot_timer();
  boot_timer(const boot_timer&) = delete;
  boot_timer& operator=(const boot_timer&) = delete;

  /// Cancels the waits, and expires at that time.
  void expires_at(boot_clock::time_point time);

  /// Calls a handler with an error code. `expires_at` must be called before.
  template <class Handler>
  void async_wait(Handler&& handler) {
    if (descriptor_.is_open())
      descriptor_.async_wait(zookeeper::waitable_descriptor::wait_read,
                             std::forward<Handler>(handler));
    else
      substitute_.async_wait(std::forward<Handler>(handler));
  }

 private:
  void open();

  const zookeeper::process_mark process_;
  zookeeper::waitable_descriptor descriptor_;
  zookeeper::waitable_timer substitute_;
};

} // namespace zklock::detail

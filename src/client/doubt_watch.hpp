#pragma once

#include <zklock/clock.hpp>

#include "client/acquisition.hpp"
#include "client/boot_timer.hpp"

#include <boost/intrusive/list.hpp>

#include <optional>

namespace zklock::detail {

class client_impl;

/// Ends the waits of `acquisition::when_unproven` a tenth of the session timeout before the session
/// is no longer proven, so that a body can be cancelled before another client may hold the lock.
///
/// Used on the client's strand only.
class doubt_watch {
 public:
  explicit doubt_watch(client_impl& client) noexcept : client_(client) {}

  /// Watches an acquisition as long as it has such waits. One that is watched already stays.
  void add(acquisition& held);

  /// Looks whether the session is proven for long enough. Must be called where the proven time
  /// moves back; the timer looks before it passes.
  void look();

  /// The client is closed.
  void stop() noexcept;

  /// The execution context is being destroyed.
  void abandon() noexcept;

 private:
  using by_hook = intrusive::member_hook<acquisition, decltype(acquisition::doubt_hook),
                                         &acquisition::doubt_hook>;

  client_impl& client_;
  // Made for the first body, and gone with the client or the execution context.
  std::optional<boot_timer> timer_;
  // When the timer expires.
  boot_clock::time_point awaited_ = boot_clock::time_point::max();
  intrusive::list<acquisition, by_hook, intrusive::constant_time_size<false>> watched_;
};

} // namespace zklock::detail

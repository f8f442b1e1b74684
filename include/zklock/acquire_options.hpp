#pragma once

#include <zklock/owner.hpp>
#include <zklock/time_limit.hpp>

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>

namespace zklock {

/// A function of the program that takes the number of entries and waiters ahead of a waiter.
using queued_function = std::function<void(std::size_t ahead)>;

/// The options of an acquire, for designated initializers: `{.timeout = 5s, .hold_limit = 30s}`.
struct acquire_options {
  /// How long to wait, or until when: it covers connecting, getting in line and waiting. Zero is a
  /// try; by default the acquire waits for ever.
  time_limit timeout = std::chrono::nanoseconds::max();

  /// How long the lock may be held, from the grant on; the maximum stands for ever. Then the hold
  /// is lost with `errc::hold_limit_reached`, and its entry is deleted. `with_lock` cancels its
  /// body earlier, by a tenth of the hold limit or of the session timeout, whichever is shorter,
  /// also while the client's executor is blocked. The hold is lost once the executor runs again.
  ///
  /// The holder's process enforces the limit. A paused process holds the lock for longer, until its
  /// session ends. The time for which the machine is suspended does not count.
  std::chrono::nanoseconds hold_limit = std::chrono::nanoseconds::max();

  /// The owner of the hold. An owner that holds the lock is granted it again at once, within its
  /// hold limit. Without an owner no two acquires share a hold.
  std::optional<zklock::owner> owner{};

  /// Whether the client may cache the lock, if it has a `client_options::lock_cache`. If not, the
  /// release completes once the entry is gone.
  bool cache = true;

  /// Called once if the lock is not free, as soon as the place in line is known: with the number of
  /// entries and of this client's waiters ahead of the acquire. The function runs on the client's
  /// strand (see @ref executors) and must not block. It is not called again for a waiter that is
  /// requeued, after an expired session for example. An exception leaves `run()` of the client's
  /// execution context, as an exception of a handler does; the wait goes on.
  queued_function queued{};
};

} // namespace zklock

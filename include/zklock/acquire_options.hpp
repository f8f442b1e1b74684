#pragma once

#include <zklock/owner.hpp>

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>

namespace zklock {

/// A function that is called with the number of entries and waiters ahead of a waiter.
using queued_function = std::function<void(std::size_t ahead)>;

/// The options of one acquire. They are meant for designated initializers:
/// `{.timeout = 5s, .hold_limit = 30s}`.
struct acquire_options {
  /// How long to wait, from the start of the operation. It covers connecting, getting in line and
  /// waiting, but not the time for which the machine is suspended. Zero is a try; the maximum
  /// stands for ever.
  std::chrono::nanoseconds timeout = std::chrono::nanoseconds::max();

  /// How long the lock may be held, from when it is granted; the maximum stands for ever. Then the
  /// hold is lost with `errc::hold_limit_reached`, and its entry is deleted. `with_lock` cancels
  /// its body earlier, by a tenth of this, or of the session timeout where that is shorter, also
  /// while the client's executor is blocked. The hold is lost once that executor runs again.
  ///
  /// This process keeps the limit. A process that is paused holds the lock for longer, as any lock,
  /// until its session ends. The time for which the machine is suspended does not count.
  std::chrono::nanoseconds hold_limit = std::chrono::nanoseconds::max();

  /// The owner of the hold. An owner that holds the lock already gets it again at once, within the
  /// hold limit that it has. Without an owner no two acquires share a hold.
  std::optional<owner> by{};

  /// Whether the client may keep the lock for its next acquire, where it has a
  /// `client_options::lock_cache`. Otherwise the release completes once the entry is gone.
  bool keep = true;

  /// Called once, where the lock is not free, as soon as the place in line is known: with the
  /// number of entries, and of waiters of this client, ahead of this one. It runs on the client's
  /// strand (see @ref executors) and must not block. It is not called again for a waiter that gets
  /// in line again, after an expired session for example. An exception leaves `run()` of the
  /// client's execution context, as that of a handler does; the wait goes on.
  queued_function queued{};
};

} // namespace zklock

#pragma once

#include <zklock/owner.hpp>

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>

namespace zklock {

/// Called with how many stand before a waiter in the queue.
using queued_function = std::function<void(std::size_t place)>;

/// What one acquire is like. Meant for designated initializers:
/// `{.timeout = 5s, .hold_limit = 30s}`.
struct acquire_options {
  /// How long to wait, from the start of the operation: connecting, getting in line, waiting. Zero
  /// is a try; the maximum is for ever.
  std::chrono::nanoseconds timeout = std::chrono::nanoseconds::max();

  /// How long the lock may be held, from when it is granted; the maximum is for ever. Then the hold
  /// is lost with `errc::hold_limit_reached` and its entry is deleted. `with_lock` cancels its body
  /// a tenth of this, or of the session timeout where that is shorter, before.
  ///
  /// It is kept by this process: one that is paused keeps it too long, as it keeps any lock until
  /// its session ends.
  std::chrono::nanoseconds hold_limit = std::chrono::nanoseconds::max();

  /// Who asks. An owner who holds the lock already gets it again at once, within the limit that it
  /// has; nobody: every acquire is another one's.
  std::optional<owner> by{};

  /// Called once, where the lock is not free, as soon as the place in the queue is known: how many
  /// entries and waiters of this client stand before this one. On the client's strand: it must not
  /// block. Empty: nobody is told. A waiter that gets in line again, after its session expired for
  /// example, is not told again. What it throws leaves the `run()` of the client's execution
  /// context, as what a handler throws does; the wait goes on.
  queued_function queued{};
};

} // namespace zklock

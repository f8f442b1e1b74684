#pragma once

#include <zklock/connection_state.hpp>
#include <zklock/error.hpp>
#include <zklock/export.hpp>
#include <zklock/fencing_token.hpp>
#include <zklock/found_lock.hpp>
#include <zklock/participant.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string_view>

namespace zklock {

/// The start of an acquire, for an observer.
struct observed_acquire {
  /// The path as it was given to the constructor of the lock. The text is valid during the call of
  /// the observer only.
  std::string_view path;

  /// The kind of the lock.
  lock_type type = lock_type::unknown;

  /// The requested role.
  participant_role role = participant_role::exclusive;

  /// The number of requested permits; 1 if the lock is no semaphore, and 0 for a number that no
  /// semaphore has.
  std::uint32_t permits = 1;

  /// The timeout in nanoseconds, as `acquire_options::timeout` has it. Zero is a try.
  std::chrono::nanoseconds timeout{0};
};

/// Receives the events of a client: changes of the connection, and the spans of waiting and
/// holding, for tracing. A program derives a class from it, overrides some functions, and sets
/// `client_options::observer`. The functions of this class do nothing.
///
/// Each acquire is reported by `acquire_started`, then by `granted`, `reentered` or `not_granted`.
/// A granted acquire is then reported by `lost` or `released`. Each is called once, also if the
/// client or its execution context is destroyed. A `multi_lock` and `acquire_any` report an acquire
/// of each of their locks. If `multi_lock` loses a lock while it waits for further locks, it begins
/// anew and reports further acquires.
///
/// **Threads.** `acquire_started` is called on the thread that starts the operation, inside the
/// initiating function, possibly on several threads at a time. A deferred operation starts when it
/// is awaited. A `multi_lock` that begins anew is the only exception: it calls on a thread of a
/// lock's executor. All further functions are called on the client's strand (see @ref executors),
/// never two at a time for a client. They must not block. A client whose execution context is
/// destroyed calls them on the thread that destroys the context.
///
/// **Lifetime.** The client releases its observer when it is closed, before the handler of the
/// close runs, and when its execution context is destroyed. Later acquires are not reported.
///
/// **Calls back.** The functions may call any function of the client, its locks and its holds, and
/// may destroy the client. They then find the reported state.
///
/// **Exceptions.** The library goes on as if the function had returned; `acquire_started` then
/// returns no span. The exception leaves `run()` of the client's execution context, as an exception
/// of a handler does. It is dropped while the execution context is destroyed.
class ZKLOCK_EXPORT observer {
 public:
  virtual ~observer();

  /// The state of the connection has changed; see `client::state`. Each change is reported, in
  /// order, after the client has notified its holds and waiters. `connection_state::closed` is the
  /// last change.
  virtual void state_changed(connection_state now);

  /// An acquire starts. The calling thread's current span is the parent of the new span. Returns a
  /// value, such as the new span, which may be null. The client passes the value to the functions
  /// below, and keeps it until their last call.
  virtual std::shared_ptr<void> acquire_started(const observed_acquire& what);

  /// The lock is acquired. The handler of the acquire runs later.
  virtual void granted(const std::shared_ptr<void>& span, fencing_token token);

  /// The owner holds the lock already: the acquire shares the owner's hold, whose end is reported
  /// for its first acquire. No call follows with this span.
  virtual void reentered(const std::shared_ptr<void>& span);

  /// The acquire ends without the lock, with the error that its handler gets. If the handler is not
  /// called, since the execution context is destroyed, the error is `errc::closed`.
  virtual void not_granted(const std::shared_ptr<void>& span, error_code why);

  /// The hold is lost, for the reason that `hold::wait_lost` reports.
  virtual void lost(const std::shared_ptr<void>& span, error_code why);

  /// The hold was released or destroyed. Its entry is deleted later.
  virtual void released(const std::shared_ptr<void>& span);
};

} // namespace zklock

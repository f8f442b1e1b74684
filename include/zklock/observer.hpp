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

/// A call of acquire, as an observer sees it start.
struct observed_acquire {
  /// The path as it was given to the constructor of the lock. The text is valid during the call of
  /// the observer only.
  std::string_view path;

  /// The kind of the lock.
  lock_type type = lock_type::unknown;

  /// What is asked for.
  participant_role role = participant_role::exclusive;

  /// The number of permits that are asked for together; 1 where the lock is no semaphore, and 0 for
  /// a number that no semaphore has.
  std::uint32_t permits = 1;

  /// The timeout in nanoseconds, as `acquire_options::timeout` has it. Zero is a try.
  std::chrono::nanoseconds timeout{0};
};

/// Receives the events of a client: changes of the connection, and the spans of waiting and
/// holding, of which tracing can be made. A program derives from it, overrides what it needs, and
/// gives it to `client_options::observer`. The functions of this class do nothing.
///
/// Each acquire is reported by `acquire_started`, then by one of `granted`, `reentered` and
/// `not_granted`. An acquire that was granted is then reported by one of `lost` and `released`.
/// Each is called once, also if the client or its execution context is destroyed. A `multi_lock`
/// and `acquire_any` report an acquire of each of their locks. If `multi_lock` loses a lock while
/// it waits for the others, it begins anew and reports further acquires.
///
/// **Threads.** `acquire_started` is called on the thread that starts the operation, inside the
/// initiating function, possibly on several threads at a time. A deferred operation starts when it
/// is awaited. A `multi_lock` that begins anew is the only exception: it calls on a thread of the
/// executor of one of its locks. All other functions are called on the client's strand (see
/// @ref executors), never two at a time for one client. They must not block. A client whose
/// execution context is destroyed calls them on the thread that destroys it.
///
/// **Lifetime.** The client lets go of its observer when it is closed, before the handler of the
/// close runs, and when its execution context is destroyed. Acquires that start later are not
/// reported.
///
/// **Calls back.** The functions may call any function of the client, its locks and its holds, and
/// may destroy the client. They then find the state that is reported.
///
/// **Exceptions.** The library goes on as if the function had returned; `acquire_started` then
/// returns no span. The exception leaves `run()` of the client's execution context, as that of a
/// handler does. It is dropped while the execution context is destroyed.
class ZKLOCK_EXPORT observer {
 public:
  virtual ~observer();

  /// The state of the connection has changed; see `client::state`. Each change is reported, in
  /// order, after the holds and waiters of the client have been told. `connection_state::closed` is
  /// the last one.
  virtual void state_changed(connection_state now);

  /// An acquire starts. The calling thread's current span is the parent of the new one. Returns a
  /// value that the functions below are called with, a span for example; it may be null. The client
  /// keeps it until the last of them has been called.
  virtual std::shared_ptr<void> acquire_started(const observed_acquire& what);

  /// The lock is acquired. The handler of the acquire runs later.
  virtual void granted(const std::shared_ptr<void>& span, fencing_token token);

  /// The owner holds the lock already: the acquire shares that hold, whose end is reported for the
  /// acquire that was granted. No call follows with this span.
  virtual void reentered(const std::shared_ptr<void>& span);

  /// The acquire ends without the lock, with the error that its handler gets. If the handler is not
  /// called, since the execution context is destroyed, it is `errc::closed`.
  virtual void not_granted(const std::shared_ptr<void>& span, error_code why);

  /// The hold is lost, for the reason that `hold::wait_lost` reports.
  virtual void lost(const std::shared_ptr<void>& span, error_code why);

  /// The hold was released or destroyed. Its entry is deleted later.
  virtual void released(const std::shared_ptr<void>& span);
};

} // namespace zklock

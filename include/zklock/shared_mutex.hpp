#pragma once

#include <zklock/any_lock.hpp>

#include <utility>

namespace zklock {

/// A lock that one writer holds alone, or any number of readers together. All get it in the order
/// in which they came, so that neither side starves: a reader waits for the writers before it, a
/// writer for everybody before it.
///
/// `acquire`, `acquire(timeout)` and `try_acquire` are the writer's. `shared()` is the reader's
/// side as a lock of its own, for `with_lock` and `multi_lock`.
///
/// A writer can become a reader without letting another writer in between: `hold::downgrade`. The
/// other way round is impossible, since two readers who tried it would wait for each other; a
/// reader that names its owner and acquires to write is refused at once with
/// `errc::upgrade_refused`, any other one waits for itself until its timeout.
///
/// On the wire it is the lock of Curator's InterProcessReadWriteLock (5.5), and shares paths with
/// it.
///
/// Thread safety: safe, but for destroying and assigning.
class ZKLOCK_EXPORT shared_mutex : public any_lock {
 public:
  /// Names the lock; see `mutex`.
  ///
  /// Errors: throws `boost::system::system_error` with `errc::bad_path`.
  shared_mutex(const client& client, std::string_view path);

  /// Returns the reader's side.
  ///
  /// Thread safety: safe.
  any_lock shared() const;

  /// Waits to read, as long as it takes.
  template <boost::asio::completion_token_for<void(error_code, hold)> CompletionToken =
                boost::asio::deferred_t>
  auto acquire_shared(CompletionToken&& token = {}) {
    return shared().acquire(std::forward<CompletionToken>(token));
  }

  /// Waits to read until a timeout is over.
  template <class Rep, class Period,
            boost::asio::completion_token_for<void(error_code, hold)> CompletionToken =
                boost::asio::deferred_t>
  auto acquire_shared(std::chrono::duration<Rep, Period> timeout, CompletionToken&& token = {}) {
    return shared().acquire(timeout, std::forward<CompletionToken>(token));
  }

  /// Waits to read, as the options say.
  template <boost::asio::completion_token_for<void(error_code, hold)> CompletionToken =
                boost::asio::deferred_t>
  auto acquire_shared(acquire_options options, CompletionToken&& token = {}) {
    return shared().acquire(std::move(options), std::forward<CompletionToken>(token));
  }

  /// Reads if no writer holds or waits; see `try_acquire`.
  template <boost::asio::completion_token_for<void(error_code, hold)> CompletionToken =
                boost::asio::deferred_t>
  auto try_acquire_shared(CompletionToken&& token = {}) {
    return shared().try_acquire(std::forward<CompletionToken>(token));
  }
};

} // namespace zklock

#pragma once

#include <zklock/client.hpp>
#include <zklock/detail/initiation.hpp>
#include <zklock/export.hpp>
#include <zklock/hold.hpp>

#include <boost/asio/deferred.hpp>

#include <chrono>
#include <memory>
#include <string>
#include <string_view>

namespace zklock {

/// A lock that one holds at a time, over all processes that lock the same path of the same
/// ensemble; those who wait get it in the order in which they came.
///
/// It is not re-entrant: a coroutine that acquires a mutex which it holds already waits for itself
/// until its timeout. Any number of objects may stand for one path; they exclude each other as
/// objects in different processes do. The object itself is only a name and can be destroyed at any
/// time: waiters go on waiting, holds stay.
///
/// On the wire it is the lock of Curator's InterProcessMutex, and shares paths with it.
///
/// Thread safety: safe, but for destroying and assigning.
class ZKLOCK_EXPORT mutex {
 public:
  using executor_type = boost::asio::any_io_executor;

  /// Names the lock. `path` is the directory in which those who want the lock have their entries;
  /// it is made when the first one comes. Nothing is sent yet.
  ///
  /// Errors: throws `boost::system::system_error` with `errc::bad_path`, whose `what()` names the
  /// path and its fault, where the path is empty, relative, ends in a slash, is longer than 2,000
  /// bytes, has an empty name, `.` or `..` in it, or a character that ZooKeeper refuses.
  mutex(const client& client, std::string_view path);

  /// Waits for the lock as long as it takes.
  ///
  /// Completion: `void(error_code, hold)`, once the lock is held or it is certain that it will not
  /// be. The hold is empty where there is an error.
  ///
  /// Errors: `errc::closed`, `errc::authentication_failed`, `errc::no_permission`,
  /// `errc::no_chroot`, `errc::not_a_directory`, `errc::sequence_exhausted`,
  /// `errc::timeout_too_short`, `errc::refused`, and `asio::error::operation_aborted` when
  /// cancelled. A lost connection is no error, nor is a session that expires: the wait goes on.
  ///
  /// Cancellation: terminal, partial and total, until the lock is granted. Nothing is left behind:
  /// the client deletes the entry in the background.
  ///
  /// Thread safety: safe.
  template <detail::not_duration CompletionToken = boost::asio::deferred_t>
  auto acquire(CompletionToken&& token = {}) {
    return start(std::forward<CompletionToken>(token), std::chrono::nanoseconds::max());
  }

  /// Waits for the lock until a time is up. The time runs from the start of the operation and
  /// covers all of it: connecting, getting in line, waiting. Zero is a try.
  ///
  /// Completion, cancellation and thread safety as above.
  ///
  /// Errors: those above; `errc::bad_timeout` for a negative timeout; when the time is up,
  /// `errc::timed_out`, or where no connection stands at that moment `errc::not_connected` or
  /// `errc::not_zookeeper`.
  template <class Rep, class Period, class CompletionToken = boost::asio::deferred_t>
  auto acquire(std::chrono::duration<Rep, Period> timeout, CompletionToken&& token = {}) {
    return start(std::forward<CompletionToken>(token), detail::saturate(timeout));
  }

  /// Takes the lock if it is free. Where it is not, that costs one request, which only reads, and
  /// none where this client itself holds it or waits for it.
  ///
  /// Completion, cancellation and thread safety as above.
  ///
  /// Errors: those of `acquire()`; `errc::busy` where the lock is taken; `errc::no_room` where the
  /// client owns as much as it may; `errc::not_connected` or `errc::not_zookeeper` where no server
  /// answers within `client_options::connect_timeout`.
  template <class CompletionToken = boost::asio::deferred_t>
  auto try_acquire(CompletionToken&& token = {}) {
    return start(std::forward<CompletionToken>(token), std::chrono::nanoseconds::zero());
  }

  /// Returns the executor of the client.
  ///
  /// Thread safety: safe.
  executor_type get_executor() const noexcept;

  /// Returns the path as it was given.
  ///
  /// Thread safety: safe.
  std::string_view path() const noexcept;

 private:
  template <class CompletionToken>
  auto start(CompletionToken&& token, std::chrono::nanoseconds timeout) {
    return detail::initiate<detail::acquire_signature>(
        std::forward<CompletionToken>(token), get_executor(),
        [state = state_, path = path_,
         timeout](detail::handler<detail::acquire_signature> handler) {
          start_acquire(state, path, timeout, std::move(handler));
        });
  }

  static void start_acquire(const std::shared_ptr<detail::client_state>& state,
                            const std::shared_ptr<const detail::lock_path>& path,
                            std::chrono::nanoseconds timeout,
                            detail::handler<detail::acquire_signature> handler);

  std::shared_ptr<detail::client_state> state_;
  std::shared_ptr<const detail::lock_path> path_;
};

} // namespace zklock

#pragma once

#include <zklock/acquire_options.hpp>
#include <zklock/client.hpp>
#include <zklock/detail/initiation.hpp>
#include <zklock/detail/wish.hpp>
#include <zklock/export.hpp>
#include <zklock/hold.hpp>

#include <boost/asio/deferred.hpp>

#include <chrono>
#include <memory>
#include <string>
#include <string_view>

namespace zklock {

namespace detail {
struct lock_access;
} // namespace detail

/// A lock of any kind, and what is wanted of it: a `mutex`, one side of a `shared_mutex`, so many
/// permits of a `semaphore`. All of them are acquired, looked at and broken in the same way, and
/// all give the same `hold`.
///
/// It is only a name: it can be copied, and destroyed at any time; waiters go on waiting, holds
/// stay. Any number of objects may stand for one path; they exclude each other as objects in
/// different processes do. A client uses a path as one kind of lock at a time.
///
/// Thread safety: safe, but for destroying and assigning.
class ZKLOCK_EXPORT any_lock {
 public:
  using executor_type = boost::asio::any_io_executor;

  /// Waits for the lock as long as it takes.
  ///
  /// Completion: `void(error_code, hold)`, once the lock is held or it is certain that it will not
  /// be. The hold is empty where there is an error.
  ///
  /// Errors: `errc::closed`, `errc::authentication_failed`, `errc::no_permission`,
  /// `errc::no_chroot`, `errc::not_a_directory`, `errc::sequence_exhausted`,
  /// `errc::timeout_too_short`, `errc::refused`, `errc::other_kind` where the client uses the path
  /// as another kind of lock; for a semaphore `errc::bad_permits` and `errc::bad_limit`; and
  /// `asio::error::operation_aborted` when cancelled. A lost connection is no error, nor is a
  /// session that expires: the wait goes on.
  ///
  /// Cancellation: terminal, partial and total, until the lock is granted. Nothing is left behind:
  /// the client deletes the entry in the background.
  ///
  /// Thread safety: safe.
  template <detail::no_argument CompletionToken = boost::asio::deferred_t>
  auto acquire(CompletionToken&& token = {}) {
    return acquire(acquire_options(), std::forward<CompletionToken>(token));
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
    return acquire(acquire_options{.timeout = detail::saturate(timeout)},
                   std::forward<CompletionToken>(token));
  }

  /// Waits as the options say.
  ///
  /// Completion, cancellation and thread safety as above.
  ///
  /// Errors: those above; `errc::bad_timeout` for a negative timeout or a limit that is not
  /// positive; for an owner who holds the lock already `errc::upgrade_refused` where more is wanted
  /// than is held: to write by who reads, or more permits; `errc::owner_busy` where the same owner
  /// waits for it.
  template <class CompletionToken = boost::asio::deferred_t>
  auto acquire(acquire_options options, CompletionToken&& token = {}) {
    return detail::initiate<detail::acquire_signature>(
        std::forward<CompletionToken>(token), get_executor(),
        [wish = wish_,
         options = std::move(options)](detail::handler<detail::acquire_signature> handler) {
          start_acquire(wish, options, std::move(handler));
        });
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
    return acquire(acquire_options{.timeout = std::chrono::nanoseconds::zero()},
                   std::forward<CompletionToken>(token));
  }

  /// Returns the executor of the client.
  ///
  /// Thread safety: safe.
  executor_type get_executor() const noexcept;

  /// Returns the path as it was given.
  ///
  /// Thread safety: safe.
  std::string_view path() const noexcept;

 protected:
  explicit any_lock(detail::wish wish) noexcept;

  const detail::wish& wanted() const noexcept { return wish_; }
  static any_lock make(detail::wish wish) noexcept { return any_lock(std::move(wish)); }

 private:
  friend struct detail::lock_access;

  static void start_acquire(const detail::wish& wish, const acquire_options& options,
                            detail::handler<detail::acquire_signature> handler);

  detail::wish wish_;
};

} // namespace zklock

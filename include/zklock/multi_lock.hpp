#pragma once

#include <zklock/acquire_options.hpp>
#include <zklock/any_lock.hpp>
#include <zklock/detail/initiation.hpp>
#include <zklock/export.hpp>
#include <zklock/multi_hold.hpp>

#include <boost/asio/deferred.hpp>

#include <chrono>
#include <memory>
#include <utility>
#include <vector>

namespace zklock {

namespace detail {
struct lock_list;
} // namespace detail

/// Several locks, of any kinds and clients, that are acquired together or not at all.
///
/// The locks are acquired sequentially, in an order on which all processes agree: by their full
/// path with the chroot, then by their kind, then by the list of servers that their client was made
/// with. So two users of `multi_lock` never wait for each other, in any order of their lists.
///
/// The object is only a name. It can be copied, and destroyed at any time: waiters go on waiting,
/// and holds stay.
///
/// Thread safety: safe, except for destroying and assigning.
class ZKLOCK_EXPORT multi_lock {
 public:
  /// The type of `get_executor()`.
  using executor_type = boost::asio::any_io_executor;

  /// Names the locks. Sends no request.
  ///
  /// Errors: throws `boost::system::system_error` with `errc::bad_lock_list` if the list is empty,
  /// or has two locks of a client and path; `what()` then names the path. Both sides of a
  /// `shared_mutex` count as a single lock: a side would wait for its counterpart.
  ///
  /// Thread safety: distinct objects: safe.
  explicit multi_lock(std::vector<any_lock> locks);

  /// Waits for all locks without a timeout.
  ///
  /// @copydetails acquire(acquire_options, CompletionToken&&)
  template <boost::asio::completion_token_for<void(error_code, multi_hold)> CompletionToken =
                boost::asio::deferred_t>
  auto acquire(CompletionToken&& token = {}) {
    return acquire(acquire_options(), std::forward<CompletionToken>(token));
  }

  /// Waits for all locks until a timeout expires, which counts from the start of the operation.
  /// Zero is a try.
  ///
  /// @copydetails acquire(acquire_options, CompletionToken&&)
  template <class Rep, class Period,
            boost::asio::completion_token_for<void(error_code, multi_hold)> CompletionToken =
                boost::asio::deferred_t>
  auto acquire(std::chrono::duration<Rep, Period> timeout, CompletionToken&& token = {}) {
    return acquire(acquire_options{.timeout = detail::saturate(timeout)},
                   std::forward<CompletionToken>(token));
  }

  /// Waits for all locks, as the options say. The timeout covers all locks. The owner, the hold
  /// limit and the function for the place in line apply to each lock, and the limit counts from the
  /// grant of the lock.
  ///
  /// Room in `client_options::owned_bytes` is reserved for all locks before the first is acquired.
  /// Acquires that wait for room are overtaken by the acquires of a `multi_lock` that has reserved
  /// room.
  ///
  /// The program must keep the `multi_hold`: `co_await locks.acquire(5s);` alone destroys it, which
  /// releases the locks at once.
  ///
  /// Completion: `void(error_code, multi_hold)`, once all locks are held, or once it is certain
  /// that they will not be. With an error the hold is empty, and the locks held so far are released
  /// in the background. If a lock is lost or in doubt before the last lock is granted, all locks
  /// are released and the operation starts again.
  ///
  /// Errors: `errc::hold_limit_reached` if a hold limit expires before the last lock is granted;
  /// `errc::budget_exhausted` if all locks together never fit into `client_options::owned_bytes`;
  /// otherwise the error of the first lock that fails:
  /// @copydetails acquire_errors
  ///
  /// Cancellation: terminal, partial and total, until the last lock is granted. Nothing is left
  /// behind.
  ///
  /// Thread safety: safe; see @ref executors.
  template <boost::asio::completion_token_for<void(error_code, multi_hold)> CompletionToken =
                boost::asio::deferred_t>
  auto acquire(acquire_options options, CompletionToken&& token = {}) {
    return detail::initiate<detail::multi_signature>(
        std::forward<CompletionToken>(token), get_executor(),
        [list = list_,
         options = std::move(options)](detail::handler<detail::multi_signature> handler) {
          start_acquire(list, options, std::move(handler));
        });
  }

  /// Acquires the locks if all of them are free; the first busy lock ends the operation.
  ///
  /// @copydetails acquire(acquire_options, CompletionToken&&)
  template <boost::asio::completion_token_for<void(error_code, multi_hold)> CompletionToken =
                boost::asio::deferred_t>
  auto try_acquire(CompletionToken&& token = {}) {
    return acquire(acquire_options{.timeout = std::chrono::nanoseconds::zero()},
                   std::forward<CompletionToken>(token));
  }

  /// Returns the executor of the first lock's client.
  ///
  /// Thread safety: safe.
  executor_type get_executor() const noexcept;

 private:
  static void start_acquire(const std::shared_ptr<const detail::lock_list>& list,
                            const acquire_options& options,
                            detail::handler<detail::multi_signature> handler);

  std::shared_ptr<const detail::lock_list> list_;
};

} // namespace zklock

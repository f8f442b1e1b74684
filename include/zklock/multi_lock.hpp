#pragma once

#include <zklock/acquire_options.hpp>
#include <zklock/any_lock.hpp>
#include <zklock/detail/initiation.hpp>
#include <zklock/export.hpp>
#include <zklock/multi_hold.hpp>
#include <zklock/time_limit.hpp>

#include <boost/asio/deferred.hpp>

#include <concepts>
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
  /// Thread safety: distinct objects may be used concurrently.
  explicit multi_lock(std::vector<any_lock> locks);

  /// Names the locks, each of any kind: `multi_lock both{stock, accounts.shared()};`.
  ///
  /// @copydetails multi_lock(std::vector<any_lock>)
  template <std::derived_from<any_lock>... Locks>
  requires(sizeof...(Locks) > 0) explicit multi_lock(const Locks&... locks)
      : multi_lock(std::vector<any_lock>{locks...}) {}

  /// Waits for all locks without a timeout.
  ///
  /// @copydetails acquire(acquire_options, CompletionToken&&) const
  template <boost::asio::completion_token_for<void(error_code, multi_hold)> CompletionToken =
                boost::asio::deferred_t>
  auto acquire(CompletionToken&& token = {}) const {
    return acquire(acquire_options(), std::forward<CompletionToken>(token));
  }

  /// Waits for all locks for a duration, or until a time point.
  ///
  /// @copydetails acquire(acquire_options, CompletionToken&&) const
  template <boost::asio::completion_token_for<void(error_code, multi_hold)> CompletionToken =
                boost::asio::deferred_t>
  auto acquire(time_limit limit, CompletionToken&& token = {}) const {
    return acquire(acquire_options{.timeout = limit}, std::forward<CompletionToken>(token));
  }

  /// Waits for all locks, as the options say. The timeout covers all locks. The owner, the hold
  /// limit, the identity and the function for the place in line apply to each lock, and the limit
  /// counts from the grant of the lock.
  ///
  /// Room in `client_options::max_path_bytes` is reserved for all locks before the first is
  /// acquired. Acquires that wait for room are overtaken by the acquires of a `multi_lock` that has
  /// reserved room.
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
  /// `errc::budget_exhausted` if all locks together never fit into
  /// `client_options::max_path_bytes`; otherwise the error of the first lock that fails:
  /// @copydetails acquire_errors
  ///
  /// Cancellation: terminal, partial and total, until the last lock is granted. Nothing is left
  /// behind.
  ///
  /// Thread safety: safe; see @ref executors.
  template <boost::asio::completion_token_for<void(error_code, multi_hold)> CompletionToken =
                boost::asio::deferred_t>
  auto acquire(acquire_options options, CompletionToken&& token = {}) const {
    return detail::initiate<detail::multi_signature>(
        std::forward<CompletionToken>(token), get_executor(),
        [list = list_, options = detail::owned_options(options)](
            detail::handler<detail::multi_signature> handler) {
          start_acquire(list, options, false, std::move(handler));
        });
  }

  /// Acquires the locks if all of them are free: `if (auto held = co_await locks.try_acquire())`.
  /// The first lock that is taken ends the operation.
  ///
  /// Completion: `void(error_code, multi_hold)`, once all locks are held, or once a lock is known
  /// to be taken. If a lock is taken, there is no error, and the hold is empty.
  ///
  /// Errors: `errc::budget_exhausted` if all locks together do not fit into
  /// `client_options::max_path_bytes`; otherwise the error of the first lock that fails:
  /// @copydetails try_errors
  ///
  /// Cancellation: terminal, partial and total, until the last lock is granted. Nothing is left
  /// behind.
  ///
  /// Thread safety: safe; see @ref executors.
  template <boost::asio::completion_token_for<void(error_code, multi_hold)> CompletionToken =
                boost::asio::deferred_t>
  auto try_acquire(CompletionToken&& token = {}) const {
    return detail::initiate<detail::multi_signature>(
        std::forward<CompletionToken>(token), get_executor(),
        [list = list_](detail::handler<detail::multi_signature> handler) {
          start_acquire(list, detail::owned_options({.timeout = std::chrono::nanoseconds::zero()}),
                        true, std::move(handler));
        });
  }

  /// Returns the executor of the first lock's client.
  ///
  /// Thread safety: safe.
  [[nodiscard]] executor_type get_executor() const noexcept;

 private:
  static void start_acquire(const std::shared_ptr<const detail::lock_list>& list,
                            const detail::owned_options& options, bool is_try,
                            detail::handler<detail::multi_signature> handler);

  std::shared_ptr<const detail::lock_list> list_;
};

} // namespace zklock

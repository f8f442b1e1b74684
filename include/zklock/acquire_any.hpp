#pragma once

#include <zklock/acquire_options.hpp>
#include <zklock/any_lock.hpp>
#include <zklock/detail/initiation.hpp>
#include <zklock/export.hpp>
#include <zklock/hold.hpp>
#include <zklock/time_limit.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/deferred.hpp>

#include <cstddef>
#include <utility>
#include <vector>

namespace zklock {

namespace detail {

ZKLOCK_EXPORT asio::any_io_executor executor_of(const std::vector<any_lock>& locks) noexcept;

ZKLOCK_EXPORT void start_acquire_any(std::vector<any_lock> locks, const owned_options& options,
                                     handler<any_signature> handler);

} // namespace detail

/// Waits for several locks side by side, as the options say, and acquires the first granted lock.
/// Then the client ends all other waits in the background, and releases a lock that is granted at
/// the same moment. `acquire_options::queued` is called for each lock that is not free, on the
/// strand of the lock's client.
///
/// gcc 12 rejects a braced list inside a `co_await` expression: name the vector.
///
/// Completion: `void(error_code, std::size_t index, hold)`, once a lock is held, or once it is
/// certain that no lock will be. The index is the lock's position in the list. With an error the
/// index is the size of the list, and the hold is empty.
///
/// Errors: `errc::bad_lock_list` if the list is empty. If all locks fail, the error of the last
/// lock to fail:
/// @copydetails acquire_errors
///
/// Cancellation: terminal, partial and total, until a lock is granted. Nothing is left behind.
///
/// Thread safety: safe; see @ref executors.
template <boost::asio::completion_token_for<void(error_code, std::size_t, hold)> CompletionToken =
              boost::asio::deferred_t>
auto acquire_any(std::vector<any_lock> locks, acquire_options options,
                 CompletionToken&& token = {}) {
  auto executor = detail::executor_of(locks);
  return detail::initiate<detail::any_signature>(
      std::forward<CompletionToken>(token), std::move(executor),
      [locks = std::move(locks),
       options = detail::owned_options(options)](detail::handler<detail::any_signature> handler) {
        detail::start_acquire_any(locks, options, std::move(handler));
      });
}

/// Waits for several locks side by side for a duration, or until a time point, and acquires the
/// first granted lock.
///
/// @copydetails acquire_any(std::vector<any_lock>, acquire_options, CompletionToken&&)
template <boost::asio::completion_token_for<void(error_code, std::size_t, hold)> CompletionToken =
              boost::asio::deferred_t>
auto acquire_any(std::vector<any_lock> locks, time_limit limit, CompletionToken&& token = {}) {
  return acquire_any(std::move(locks), acquire_options{.timeout = limit},
                     std::forward<CompletionToken>(token));
}

/// Waits for several locks side by side without a timeout, and acquires the first granted lock.
///
/// @copydetails acquire_any(std::vector<any_lock>, acquire_options, CompletionToken&&)
template <boost::asio::completion_token_for<void(error_code, std::size_t, hold)> CompletionToken =
              boost::asio::deferred_t>
auto acquire_any(std::vector<any_lock> locks, CompletionToken&& token = {}) {
  return acquire_any(std::move(locks), acquire_options(), std::forward<CompletionToken>(token));
}

} // namespace zklock

#pragma once

#include <zklock/clock.hpp>
#include <zklock/detail/initiation.hpp>
#include <zklock/export.hpp>
#include <zklock/hold.hpp>

#include <boost/asio/deferred.hpp>

#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace zklock {

class [[nodiscard("the locks are released when the hold is destroyed")]] multi_hold;

/// Several locks that are held together, until they are released or destroyed, or a lock is lost.
/// Movable, not copyable. Destroying a `multi_hold`, and assigning to it, releases all locks in the
/// background.
///
/// A `multi_hold` may outlive its lock objects, clients and execution context. Its operations then
/// end with `errc::closed`; see `client`.
///
/// Thread safety: distinct objects may be used concurrently. The const functions of a shared
/// object may be called concurrently. It may be released and destroyed on any thread.
class ZKLOCK_EXPORT multi_hold {
 public:
  /// Makes an empty hold.
  ///
  /// Thread safety: distinct objects may be used concurrently.
  multi_hold() noexcept = default;

  /// Releases all locks. From the start of the operation on, this hold is empty.
  ///
  /// An operation refers to the locks that the hold has when the operation is made. The hold may be
  /// moved before the operation starts: a release then empties the target of the move. The
  /// operation ends with `errc::empty_hold` if the locks were released before.
  ///
  /// Completion: `void(error_code)`, once the entries of all locks are certainly gone. A failure
  /// does not keep other locks from being released.
  ///
  /// Errors; the first is reported:
  /// - `errc::empty_hold`: the hold is empty.
  /// - `errc::no_permission`: the access control list forbids the deletion. The entry stays until
  ///   the session ends.
  /// - `errc::not_connected`: the client was closed, and the servers could not be told.
  /// - `errc::closed`: the client's execution context is destroyed.
  /// - `asio::error::operation_aborted`: the operation was cancelled.
  ///
  /// Cancellation: terminal, partial and total. It ends the wait; the locks are released
  /// nevertheless, in the background.
  ///
  /// Thread safety: safe, except for other functions of this object; see @ref executors.
  template <
      boost::asio::completion_token_for<void(error_code)> CompletionToken = boost::asio::deferred_t>
  auto release(CompletionToken&& token = {}) {
    return detail::initiate<detail::plain_signature>(
        std::forward<CompletionToken>(token), get_executor(),
        [acquisitions = acquisitions()](detail::handler<detail::plain_signature> handler) {
          start_release(acquisitions, std::move(handler));
        });
  }

  /// Waits until a lock is lost. All other locks are then still held. Like `hold::wait_lost`, it
  /// does not complete while the executor of a client is blocked.
  ///
  /// Completion: `void(error_code, error_code reason)`, once a lock is lost. The first code is then
  /// success, and the reason is `errc::session_expired`, `errc::data_rolled_back`,
  /// `errc::entry_deleted`, `errc::hold_limit_reached`, `errc::closed` or
  /// `errc::authentication_failed`.
  ///
  /// Errors:
  /// - `asio::error::operation_aborted`: the operation was cancelled, or the locks were released or
  ///   destroyed.
  /// - `errc::empty_hold`: the hold is empty.
  ///
  /// Cancellation: terminal, partial and total.
  ///
  /// Thread safety: safe; see @ref executors.
  template <boost::asio::completion_token_for<void(error_code, error_code)> CompletionToken =
                boost::asio::deferred_t>
  auto wait_lost(CompletionToken&& token = {}) const {
    return detail::initiate<detail::lost_signature>(
        std::forward<CompletionToken>(token), get_executor(),
        [acquisitions = acquisitions()](detail::handler<detail::lost_signature> handler) {
          start_wait_lost(acquisitions, std::move(handler));
        });
  }

  /// Returns whether all locks are certainly held at this moment. Sends no request.
  ///
  /// Thread safety: safe.
  [[nodiscard]] bool owns_lock() const noexcept;

  /// Returns `owns_lock()`.
  ///
  /// Thread safety: safe.
  [[nodiscard]] explicit operator bool() const noexcept { return owns_lock(); }

  /// Returns the state of the least certain hold. Sends no request.
  ///
  /// Thread safety: safe.
  [[nodiscard]] hold_state state() const noexcept;

  /// Returns the time until which no other holder can have any of the locks: the earliest
  /// `hold::valid_until()`. If a lock is lost, or the hold is empty, the clock's minimum.
  ///
  /// Thread safety: safe.
  [[nodiscard]] boot_clock::time_point valid_until() const noexcept;

  /// Returns the holds of the locks, with their tokens and nodes, in the order of the
  /// `multi_lock`'s list. Empty for an empty hold.
  ///
  /// Thread safety: safe.
  [[nodiscard]] std::span<const hold> holds() const noexcept;

 private:
  friend struct detail::hold_access;

  using acquisition_list = std::vector<std::shared_ptr<detail::acquisition>>;

  explicit multi_hold(std::vector<hold> holds) noexcept : holds_(std::move(holds)) {}

  boost::asio::any_io_executor get_executor() const noexcept;
  acquisition_list acquisitions() const;

  static void start_release(const acquisition_list& acquisitions,
                            detail::handler<detail::plain_signature> handler);
  static void start_wait_lost(const acquisition_list& acquisitions,
                              detail::handler<detail::lost_signature> handler);

  std::vector<hold> holds_;
};

} // namespace zklock

#pragma once

#include <zklock/clock.hpp>
#include <zklock/detail/initiation.hpp>
#include <zklock/export.hpp>
#include <zklock/fencing_token.hpp>
#include <zklock/hold_state.hpp>
#include <zklock/participant.hpp>
#include <zklock/transaction.hpp>

#include <boost/asio/deferred.hpp>

#include <chrono>
#include <memory>
#include <stop_token>
#include <string>

namespace zklock {

namespace detail {

struct hold_access;

using request_signature = void(error_code, std::string);
using commit_signature = void(error_code, commit_result);

} // namespace detail

class [[nodiscard("the lock is released when the hold is destroyed")]] hold;

/// A lock that is held, until it is released, destroyed or lost. Movable, not copyable.
///
/// A hold may outlive its lock object, its client and its execution context. Its operations then
/// end with `errc::closed`; see `client`.
///
/// Thread safety: distinct objects may be used concurrently. The const functions of a shared
/// object may be called concurrently. A hold may be released and destroyed on any thread.
class ZKLOCK_EXPORT hold {
 public:
  /// Makes an empty hold.
  ///
  /// Thread safety: distinct objects may be used concurrently.
  hold() noexcept = default;

  /// Moves the lock of another hold, which is empty then.
  ///
  /// Thread safety: safe, except for other functions of either object.
  hold(hold&& other) noexcept = default;

  /// Releases the lock of this hold in the background; then moves the lock of `other`.
  ///
  /// Thread safety: safe, except for other functions of either object.
  hold& operator=(hold&& other) noexcept;

  /// Releases the lock in the background. The client deletes the entry, and retries after lost
  /// connections and refusals, until the entry is gone or the session is over.
  ///
  /// Thread safety: safe, except for other functions of this object.
  ~hold();

  /// Releases the lock. From the start of the operation on, this hold is empty.
  ///
  /// An operation of a hold refers to the lock that the hold has when the operation is made. The
  /// hold may be moved before the operation starts: a release then empties the target of the move.
  /// The operation ends with `errc::empty_hold` if the lock was released before.
  ///
  /// Completion: `void(error_code)`, once the entry is certainly gone: deleted, or the session is
  /// over. Waiters of the client may resume earlier. While the connection is down, the operation
  /// waits. If the servers refuse the deletion for a transient reason, such as throttling, the
  /// client retries every 500 ms.
  ///
  /// Errors:
  /// - `errc::empty_hold`: the hold is empty.
  /// - `errc::no_permission`: the access control list forbids the deletion. The entry stays until
  ///   the session ends.
  /// - `errc::not_connected`: the client was closed, and the servers could not be told.
  /// - `errc::closed`: the client's execution context is destroyed.
  /// - `asio::error::operation_aborted`: the operation was cancelled.
  ///
  /// A lost hold is released without an error.
  ///
  /// Cancellation: terminal, partial and total. It ends the wait; the lock is released
  /// nevertheless, in the background.
  ///
  /// Thread safety: safe, except for other functions of this object; see @ref executors.
  template <
      boost::asio::completion_token_for<void(error_code)> CompletionToken = boost::asio::deferred_t>
  auto release(CompletionToken&& token = {}) {
    return detail::initiate<detail::plain_signature>(
        std::forward<CompletionToken>(token), get_executor(),
        [acquisition = acquisition_](detail::handler<detail::plain_signature> handler) {
          start_release(acquisition, std::move(handler));
        });
  }

  /// Atomically converts this exclusive hold of a `shared_mutex` to a shared one. Waiting readers
  /// are granted the lock, and no writer holds it in between. The token stays. From the start of
  /// the operation on, an owner that acquires the lock again to write fails with
  /// `errc::upgrade_refused`.
  ///
  /// Completion: `void(error_code)`, once the hold is a reader's. While the connection is down, the
  /// operation waits.
  ///
  /// Errors:
  /// - `errc::not_a_writer`: the hold is not a writer's, or its downgrade has started.
  /// - `errc::downgrade_refused`: the owner of the hold has other holds of the lock, which would
  ///   become readers' too. Release them first.
  /// - `errc::session_expired`, `errc::data_rolled_back`, `errc::entry_deleted`,
  ///   `errc::hold_limit_reached`, `errc::closed`, `errc::authentication_failed`: the hold is lost
  ///   for this reason.
  /// - `errc::no_permission`, `errc::refused`: the servers refuse the request.
  /// - `errc::empty_hold`: the hold is empty.
  /// - `asio::error::operation_aborted`: the operation was cancelled, or the hold was released
  ///   meanwhile.
  ///
  /// Cancellation: terminal, partial and total. It ends the wait, not the downgrade.
  ///
  /// Thread safety: safe; see @ref executors.
  template <
      boost::asio::completion_token_for<void(error_code)> CompletionToken = boost::asio::deferred_t>
  auto downgrade(CompletionToken&& token = {}) {
    return detail::initiate<detail::plain_signature>(
        std::forward<CompletionToken>(token), get_executor(),
        [acquisition = acquisition_](detail::handler<detail::plain_signature> handler) {
          start_downgrade(acquisition, std::move(handler));
        });
  }

  /// Changes the identity in the data of the hold's entry, which `participant::identity` shows: for
  /// example to the address of a leader, which watchers hear of by `any_lock::wait_holder_changed`.
  /// For several permits it is the data of the first. A release request in the data stays, and is
  /// not reported again. A downgrade keeps the identity. The entry is neither cached nor handed
  /// over: it is deleted when the hold is released. All holds of an owner share their entry.
  ///
  /// Each change wakes other libraries' waiters behind the entry, which then list the directory.
  ///
  /// Completion: `void(error_code)`, once the identity, or the identity of a later call for the
  /// hold, is written: the last call counts. The operation sends a single request, or three if
  /// another client has written the data. While the connection is down, the operation waits.
  ///
  /// `identity`: as `acquire_options::identity`; empty: the client's identity.
  ///
  /// Errors:
  /// - `errc::bad_identity`: the text is not UTF-8, longer than 4,096 bytes, or begins with the
  ///   line `__REVOKE__`. Nothing is sent.
  /// - `errc::session_expired`, `errc::data_rolled_back`, `errc::entry_deleted`,
  ///   `errc::hold_limit_reached`, `errc::closed`, `errc::authentication_failed`: the hold is lost
  ///   for this reason.
  /// - `errc::no_permission`, `errc::refused`: the servers refuse a request.
  /// - `errc::empty_hold`: the hold is empty.
  /// - `asio::error::operation_aborted`: the operation was cancelled, or the hold was released
  ///   meanwhile.
  ///
  /// Cancellation: terminal, partial and total. It ends the wait, not the change.
  ///
  /// Thread safety: safe; see @ref executors.
  template <
      boost::asio::completion_token_for<void(error_code)> CompletionToken = boost::asio::deferred_t>
  auto set_identity(std::string identity, CompletionToken&& token = {}) const {
    return detail::initiate<detail::plain_signature>(
        std::forward<CompletionToken>(token), get_executor(),
        [acquisition = acquisition_,
         identity = std::move(identity)](detail::handler<detail::plain_signature> handler) {
          start_set_identity(acquisition, identity, std::move(handler));
        });
  }

  /// Waits until the hold is lost.
  ///
  /// The operation completes on the client's executor. While the executor is blocked, or the
  /// process is paused, it does not complete, although other clients may be granted the lock:
  /// `owns_lock()` is right at once.
  ///
  /// Completion: `void(error_code, error_code reason)`, once the hold is lost. The first code is
  /// then success, and the reason is `errc::session_expired`, `errc::data_rolled_back`,
  /// `errc::entry_deleted`, `errc::hold_limit_reached`, `errc::closed` or
  /// `errc::authentication_failed`.
  ///
  /// Errors:
  /// - `asio::error::operation_aborted`: the operation was cancelled, or the hold was released or
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
        [acquisition = acquisition_](detail::handler<detail::lost_signature> handler) {
          start_wait_lost(acquisition, std::move(handler));
        });
  }

  /// Waits for a request to release the lock, made with `any_lock::request_release` or with
  /// Curator's Revoker. A request since the grant of the lock is not missed. Each request is
  /// reported once, so that a holder that goes on can wait for the next request. A downgrade
  /// answers the requests before it. Once its client has heard of a request, the entry is neither
  /// cached nor handed over: it is deleted when the hold is released.
  ///
  /// The operation sends one request and sets a watch. While it waits, the deletion of the entry is
  /// noticed at once: the hold is lost. The operation completes on the client's executor, and not
  /// while this executor is blocked.
  ///
  /// Completion: `void(error_code, std::string requester)`, once a request is made. The text is the
  /// identity of the requesting client, at most 4,096 bytes; empty if it is not known. Any client
  /// may have written any bytes: escape the text before it is shown.
  ///
  /// Errors:
  /// - `asio::error::operation_aborted`: the operation was cancelled, or the hold was released or
  ///   destroyed.
  /// - `errc::session_expired`, `errc::data_rolled_back`, `errc::entry_deleted`,
  ///   `errc::hold_limit_reached`, `errc::closed`, `errc::authentication_failed`: the hold is lost
  ///   for this reason.
  /// - `errc::no_permission`, `errc::refused`: the servers refuse the request.
  /// - `errc::empty_hold`: the hold is empty.
  ///
  /// A lost connection is no error: the operation goes on with the next connection.
  ///
  /// Cancellation: terminal, partial and total.
  ///
  /// Thread safety: safe; see @ref executors.
  template <boost::asio::completion_token_for<void(error_code, std::string)> CompletionToken =
                boost::asio::deferred_t>
  auto wait_release_requested(CompletionToken&& token = {}) const {
    return detail::initiate<detail::request_signature>(
        std::forward<CompletionToken>(token), get_executor(),
        [acquisition = acquisition_](detail::handler<detail::request_signature> handler) {
          start_wait_release_requested(acquisition, std::move(handler));
        });
  }

  /// Writes to ZooKeeper while the lock is held. A single transaction has all writes, and a check
  /// that the hold's entry exists. So a late commit of a stale holder changes nothing.
  ///
  /// Ephemeral nodes belong to the client's session, and do not count for
  /// `client_options::max_path_bytes`.
  ///
  /// Completion: `void(error_code, commit_result)`, once the servers have applied the whole
  /// transaction, or refused it.
  ///
  /// Errors, of the part that `commit_result::failed_part` names:
  /// - `errc::no_node`, `errc::node_exists`, `errc::bad_version`, `errc::not_empty`,
  ///   `errc::no_permission`, `errc::not_a_directory`, `errc::refused`: the servers refuse the
  ///   part.
  /// - `errc::bad_path`: the path is not a node's. Nothing is sent.
  ///
  /// Errors of the whole transaction:
  /// - `errc::session_expired`, `errc::data_rolled_back`, `errc::entry_deleted`,
  ///   `errc::hold_limit_reached`, `errc::closed`, `errc::authentication_failed`: the hold is lost
  ///   for this reason. A failed check of the entry loses the hold with `errc::entry_deleted`.
  /// - `errc::bad_transaction`: the transaction has no parts, or takes more than 1 MiB together
  ///   with the checks of all held permits.
  /// - `errc::unknown_outcome`: the connection was lost, or the client closed, before the reply
  ///   came. The client does not retry: read the nodes.
  /// - `errc::not_connected`, `errc::not_zookeeper`, `errc::tls_failed`,
  ///   `errc::certificate_refused`, `errc::certificate_demanded`: the transaction was not sent.
  ///   There was no connection for `client_options::connect_timeout`.
  /// - `errc::empty_hold`: the hold is empty.
  /// - `asio::error::operation_aborted`: the operation was cancelled, or the hold was released
  ///   before the transaction was sent.
  ///
  /// Cancellation: terminal, partial and total. The writes may have been applied.
  ///
  /// Thread safety: safe; see @ref executors.
  template <boost::asio::completion_token_for<void(error_code, commit_result)> CompletionToken =
                boost::asio::deferred_t>
  auto commit(transaction writes, CompletionToken&& token = {}) const {
    return detail::initiate<detail::commit_signature>(
        std::forward<CompletionToken>(token), get_executor(),
        [acquisition = acquisition_,
         writes = std::move(writes)](detail::handler<detail::commit_signature> handler) {
          start_commit(acquisition, writes, std::move(handler));
        });
  }

  /// Returns whether the lock is certainly held at this moment: it is not known to be lost, and
  /// `valid_until()` lies ahead. Sends no request.
  ///
  /// Thread safety: safe.
  [[nodiscard]] bool owns_lock() const noexcept;

  /// Returns `owns_lock()`.
  ///
  /// Thread safety: safe.
  [[nodiscard]] explicit operator bool() const noexcept { return owns_lock(); }

  /// Returns the state of the hold. Sends no request.
  ///
  /// Thread safety: safe.
  [[nodiscard]] hold_state state() const noexcept;

  /// Returns the time until which the servers cannot have granted the lock to another holder, even
  /// if the network fails or this process is paused. The time moves ahead while the servers confirm
  /// the session. For a hold that is empty or lost it is the clock's minimum.
  ///
  /// A lock is granted only while more than a tenth of the session timeout is left until this time.
  /// Otherwise the acquire waits until the servers have confirmed the session anew.
  ///
  /// The time is the session timeout after the sending of a request that the leader is proven to
  /// have heard of. doc/internals/validity.md has the argument.
  ///
  /// Thread safety: safe.
  [[nodiscard]] boot_clock::time_point valid_until() const noexcept;

  /// Returns when the lock was granted to this hold, by this process; for an empty hold the clock's
  /// minimum. All holds of an owner have the time of its first hold. A downgrade does not change
  /// it.
  ///
  /// Thread safety: safe.
  [[nodiscard]] std::chrono::steady_clock::time_point held_since() const noexcept;

  /// Returns the fencing token; for an empty hold the lowest token. Present it to the storage
  /// before the first read, and with each write.
  ///
  /// Thread safety: safe.
  [[nodiscard]] fencing_token token() const noexcept;

  /// Returns a token that is stopped when the hold is lost, and before that when a tenth of the
  /// session timeout is left until `valid_until()`, or a tenth of `acquire_options::hold_limit` or
  /// of the session timeout, whichever is shorter, until the hold limit is over. It is for work
  /// that is no coroutine, for example on a `std::jthread`; `with_lock` cancels coroutines by the
  /// same rule. Releasing the hold does not stop the token. All calls return copies of a single
  /// token. For an empty hold, a token that is never stopped.
  ///
  /// The token is stopped on the client's executor, and its callbacks run there. While the executor
  /// is blocked the token is not stopped: `owns_lock()` is right at once. A client whose execution
  /// context is destroyed stops the token on the thread that destroys the context.
  ///
  /// Thread safety: safe.
  [[nodiscard]] std::stop_token get_stop_token() const;

  /// Returns the path of the lock as it was given to the lock's constructor; empty for an empty
  /// hold.
  ///
  /// Thread safety: safe.
  [[nodiscard]] std::string path() const;

  /// Returns the held role: a writer that became a reader is shared. For an empty hold,
  /// `participant_role::exclusive`.
  ///
  /// Thread safety: safe.
  [[nodiscard]] participant_role role() const noexcept;

  /// Returns the full path of the entry's znode, with the chroot; empty for an empty hold.
  ///
  /// Thread safety: safe.
  [[nodiscard]] std::string node() const;

 private:
  friend struct detail::hold_access;

  explicit hold(std::shared_ptr<detail::acquisition> held) noexcept;

  boost::asio::any_io_executor get_executor() const noexcept;
  // Null if this hold is empty.
  detail::acquisition* held() const noexcept;

  static void start_release(const std::shared_ptr<detail::acquisition>& own,
                            detail::handler<detail::plain_signature> handler);
  static void start_downgrade(const std::shared_ptr<detail::acquisition>& own,
                              detail::handler<detail::plain_signature> handler);
  static void start_set_identity(const std::shared_ptr<detail::acquisition>& own,
                                 const std::string& identity,
                                 detail::handler<detail::plain_signature> handler);
  static void start_wait_lost(const std::shared_ptr<detail::acquisition>& own,
                              detail::handler<detail::lost_signature> handler);
  static void start_wait_release_requested(const std::shared_ptr<detail::acquisition>& own,
                                           detail::handler<detail::request_signature> handler);
  static void start_commit(const std::shared_ptr<detail::acquisition>& own,
                           const transaction& writes,
                           detail::handler<detail::commit_signature> handler);

  // The hold is empty if its acquisition is null, or marked as released.
  std::shared_ptr<detail::acquisition> acquisition_;
};

} // namespace zklock

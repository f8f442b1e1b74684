#pragma once

#include <zklock/clock.hpp>
#include <zklock/detail/departing.hpp>
#include <zklock/detail/initiation.hpp>
#include <zklock/export.hpp>
#include <zklock/fencing_token.hpp>
#include <zklock/hold_state.hpp>
#include <zklock/transaction.hpp>

#include <boost/asio/deferred.hpp>

#include <memory>
#include <string>

namespace zklock {

namespace detail {

struct hold_access;

using request_signature = void(error_code, std::string);
using commit_signature = void(error_code, commit_result);

} // namespace detail

class [[nodiscard("the lock is given back when the hold is destroyed")]] hold;

/// A lock that is held, until it is released, destroyed or lost. Movable, not copyable.
///
/// It may outlive the lock object, the client and the execution context that it came from; see
/// `client` for how operations end then.
///
/// Thread safety: distinct objects: safe; the same object: the functions that are const are safe
/// among each other. It may be released and destroyed on any thread.
class ZKLOCK_EXPORT hold {
 public:
  /// Makes an empty hold.
  hold() noexcept = default;

  hold(hold&&) noexcept = default;

  /// Gives back what this one holds, in the background, and takes the other's place.
  hold& operator=(hold&& other) noexcept;

  /// Gives the lock back in the background: the client deletes the entry, trying again after lost
  /// connections and refusals, and where memory has run out, until it is gone or the session is
  /// over.
  ~hold();

  /// Gives the lock back, and leaves this hold empty.
  ///
  /// Completion: `void(error_code)`, once the entry is certainly gone: deleted, or the session is
  /// over. Waiters of the same client may have been woken before that. Where the connection is
  /// down this takes until it is back. Where the servers refuse to delete it for a reason that may
  /// pass, since they are throttled for example, it is tried again every half second until then.
  ///
  /// Errors: `errc::empty_hold`, on the system executor where the handler has none of its own;
  /// `errc::no_permission` where the entry may not be deleted, which then stays until the session
  /// ends; `errc::not_connected` where the client was closed and the servers could not be told,
  /// `errc::closed` where the client's execution context is destroyed. A hold that was lost is
  /// released without error.
  ///
  /// Cancellation: terminal, partial and total. It ends the wait; the lock is given back all the
  /// same, in the background.
  ///
  /// Thread safety: safe, but for other functions of the same object.
  template <
      boost::asio::completion_token_for<void(error_code)> CompletionToken = boost::asio::deferred_t>
  auto release(CompletionToken&& token = {});

  /// Makes a reader of a writer of a `shared_mutex`: other readers come in, and no writer does in
  /// between, however long it has been waiting. The token stays. From the start of the operation
  /// on, an owner that acquires the lock again to write is told `errc::upgrade_refused`.
  ///
  /// Completion: `void(error_code)`, once it reads. Where the connection is down this takes until
  /// it is back.
  ///
  /// Errors: `errc::not_a_writer`; `errc::downgrade_refused` while the owner that acquired it has
  /// other holds of the lock, which would become readers' as well: release them first;
  /// `errc::empty_hold` as for `release`, `errc::no_permission`, `errc::refused`; why the hold was
  /// lost, where it is; `asio::error::operation_aborted` where it is released meanwhile.
  ///
  /// Cancellation: terminal, partial and total. It ends the wait, not what was begun.
  ///
  /// Thread safety: safe.
  ///
  /// Source: CURATOR-621.
  template <
      boost::asio::completion_token_for<void(error_code)> CompletionToken = boost::asio::deferred_t>
  auto downgrade(CompletionToken&& token = {}) {
    return detail::initiate<detail::plain_signature>(
        std::forward<CompletionToken>(token), get_executor(),
        [acquisition = acquisition_](detail::handler<detail::plain_signature> handler) {
          start_downgrade(acquisition, std::move(handler));
        });
  }

  /// Waits until the hold is lost.
  ///
  /// Completion: `void(error_code, error_code reason)`. With the first, success, once the hold is
  /// lost; the reason is `errc::session_expired`, `errc::entry_deleted`,
  /// `errc::hold_limit_reached`, `errc::closed` or `errc::authentication_failed`. Completes with
  /// `asio::error::operation_aborted` when the hold is released or destroyed.
  ///
  /// Errors: `errc::empty_hold`, as for `release`; `asio::error::operation_aborted`.
  ///
  /// Cancellation: terminal, partial and total.
  ///
  /// Thread safety: safe.
  template <boost::asio::completion_token_for<void(error_code, error_code)> CompletionToken =
                boost::asio::deferred_t>
  auto wait_lost(CompletionToken&& token = {}) const {
    return detail::initiate<detail::lost_signature>(
        std::forward<CompletionToken>(token), get_executor(),
        [acquisition = acquisition_](detail::handler<detail::lost_signature> handler) {
          start_wait_lost(acquisition, std::move(handler));
        });
  }

  /// Waits until somebody asks this holder to let go, with `any_lock::request_release` or with
  /// Curator's Revoker. A request made since the lock was acquired is not missed; each is told
  /// once, so that one who goes on holding can wait for the next one. A writer that became a reader
  /// has answered those made before.
  ///
  /// Completion: `void(error_code, std::string who)`, once somebody has asked; `who` is the
  /// identity of who did, empty where that is not known. It takes one request, and none is made
  /// where it is not used. While it waits, an entry that somebody deletes is noticed at once: the
  /// hold is lost.
  ///
  /// Errors: `errc::empty_hold` as for `release`; why the hold was lost, where it is;
  /// `asio::error::operation_aborted` when it is released, destroyed or cancelled;
  /// `errc::no_permission`, `errc::refused`. A lost connection is no error: it goes on with the
  /// next one.
  ///
  /// Cancellation: terminal, partial and total.
  ///
  /// Thread safety: safe.
  ///
  /// Source: Curator's Revocable, which misses requests made before its first look.
  template <boost::asio::completion_token_for<void(error_code, std::string)> CompletionToken =
                boost::asio::deferred_t>
  auto wait_release_requested(CompletionToken&& token = {}) const {
    return detail::initiate<detail::request_signature>(
        std::forward<CompletionToken>(token), get_executor(),
        [acquisition = acquisition_](detail::handler<detail::request_signature> handler) {
          start_wait_release_requested(acquisition, std::move(handler));
        });
  }

  /// Carries out writes to ZooKeeper if this hold is not over: in one transaction with the check
  /// that its entry still exists. No clock and no network can get in between: what a stale holder
  /// commits changes nothing.
  ///
  /// Ephemeral nodes belong to the client's session, and do not count for
  /// `client_options::owned_bytes`.
  ///
  /// Completion: `void(error_code, commit_result)`, once the servers have carried out all of it, or
  /// nothing.
  ///
  /// Errors: `errc::empty_hold` as for `release`; why the hold was lost, where it is, and
  /// `errc::entry_deleted` where the servers say so, which also loses it. With the index of the
  /// part: `errc::no_node`, `errc::node_exists`, `errc::bad_version`, `errc::not_empty`,
  /// `errc::no_permission`, `errc::not_a_directory`, `errc::refused`, and without asking anybody
  /// `errc::bad_path`. `errc::bad_transaction` for one that has no parts, or takes more than 1 MiB
  /// with the checks of all permits that are held.
  /// `errc::unknown_outcome` where the connection went, or the client was closed, before the answer
  /// came: it is not sent again, look whether it was carried out. `errc::not_connected` or
  /// `errc::not_zookeeper` where it was not sent, since there was no connection for
  /// `client_options::connect_timeout`; `errc::closed`, `errc::authentication_failed`;
  /// `asio::error::operation_aborted` when cancelled, or released before it was sent.
  ///
  /// Cancellation: terminal, partial and total; the writes may have been carried out.
  ///
  /// Thread safety: safe.
  ///
  /// Source: CURATOR-689, for guarded writes.
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
  /// `valid_until()` lies ahead. Asks nobody.
  ///
  /// Thread safety: safe.
  bool owns_lock() const noexcept;

  /// Returns how sure the hold is. Asks nobody.
  ///
  /// Thread safety: safe.
  hold_state state() const noexcept;

  /// Returns until when nobody else can have the lock, whatever happens to the network or to this
  /// process; the clock's minimum for a hold that is empty or lost. It moves ahead while the
  /// servers confirm the session.
  ///
  /// It is the time at which a request was sent that the leader is proven to have heard of, plus
  /// the session timeout. Neither an answered ping nor a committed write proves that: a follower
  /// reports the sessions in use only when the leader pings it. Requests in a certain order do;
  /// doc/validity.md has the argument.
  ///
  /// Thread safety: safe.
  boot_clock::time_point valid_until() const noexcept;

  /// Returns the fencing token; the lowest one for an empty hold.
  ///
  /// Thread safety: safe.
  fencing_token token() const noexcept;

  /// Returns the full path of the hold's entry, with the chroot; empty for an empty hold.
  ///
  /// Thread safety: safe.
  std::string node() const;

 private:
  friend struct detail::hold_access;
  friend struct detail::departing<hold>;

  explicit hold(std::shared_ptr<detail::acquisition> held) noexcept;

  boost::asio::any_io_executor get_executor() const noexcept;

  static void start_release(hold held, detail::handler<detail::plain_signature> handler);
  static void start_downgrade(const std::shared_ptr<detail::acquisition>& held,
                              detail::handler<detail::plain_signature> handler);
  static void start_wait_lost(const std::shared_ptr<detail::acquisition>& held,
                              detail::handler<detail::lost_signature> handler);
  static void start_wait_release_requested(const std::shared_ptr<detail::acquisition>& held,
                                           detail::handler<detail::request_signature> handler);
  static void start_commit(const std::shared_ptr<detail::acquisition>& held,
                           const transaction& writes,
                           detail::handler<detail::commit_signature> handler);

  std::shared_ptr<detail::acquisition> acquisition_;
};

template <boost::asio::completion_token_for<void(error_code)> CompletionToken>
auto hold::release(CompletionToken&& token) {
  auto executor = get_executor();
  return detail::initiate<detail::plain_signature>(std::forward<CompletionToken>(token),
                                                   std::move(executor),
                                                   detail::departing<hold>(std::move(*this)));
}

} // namespace zklock

#pragma once

#include <zklock/acquire_options.hpp>
#include <zklock/client.hpp>
#include <zklock/detail/initiation.hpp>
#include <zklock/detail/lock_request.hpp>
#include <zklock/detail/owned_options.hpp>
#include <zklock/export.hpp>
#include <zklock/hold.hpp>
#include <zklock/participant.hpp>
#include <zklock/time_limit.hpp>

#include <boost/asio/deferred.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace zklock {

namespace detail {
struct lock_access;
using participants_signature = void(error_code, std::vector<participant>);
using count_signature = void(error_code, std::size_t);
using holder_signature = void(error_code, std::optional<participant>);
} // namespace detail

/// @page permanent_errors Errors that waiting does not mend
///
/// - `asio::error::operation_aborted`: the operation was cancelled.
/// - `errc::lock_type_mismatch`: the client uses the path as another kind of lock.
/// - `errc::no_permission`, `errc::no_chroot`, `errc::not_a_directory`, `errc::sequence_exhausted`,
///   `errc::refused`: the servers refuse a request.
/// - `errc::session_timeout_too_short`, `errc::server_too_old`: no server is of use to this client.
/// - `errc::authentication_failed`: the servers refused the credentials, or demand further
///   credentials.
/// - `errc::closed`: the client was closed.
///
/// A lost connection and an expired session are no errors: the operation goes on.

/// @page try_errors Errors of trying
///
/// - `errc::not_connected`: no server answers within `client_options::connect_timeout`.
/// - `errc::not_zookeeper`: as `errc::not_connected`, and the server's address does not speak
///   ZooKeeper's protocol.
/// - `errc::tls_failed`, `errc::certificate_refused`, `errc::certificate_demanded`: as
///   `errc::not_connected`, and there is no TLS with the server; see `client_options::tls`.
/// - `errc::budget_exhausted`: `client_options::max_path_bytes` is used up, or the permits never
///   fit into it.
/// - `errc::bad_permits`, `errc::bad_limit`: see `semaphore`.
///
/// @copydetails permanent_errors

/// @page acquire_errors Errors of acquiring
///
/// - `errc::timed_out`: the time limit is over, and the lock is still held, or
///   `client_options::max_path_bytes` has no room yet.
/// - `errc::not_connected`: the time limit is over, and no connection stands or the entry was never
///   confirmed; or it is zero, and no server answers within `client_options::connect_timeout`.
/// - `errc::not_zookeeper`: as `errc::not_connected`, and the server's address does not speak
///   ZooKeeper's protocol.
/// - `errc::tls_failed`, `errc::certificate_refused`, `errc::certificate_demanded`: as
///   `errc::not_connected`, and there is no TLS with the server; see `client_options::tls`.
/// - `errc::session_timeout_too_short`, `errc::server_too_old`, `errc::authentication_failed`: the
///   time limit is over, and the last server that was asked is of no use.
/// - `errc::busy`: the time limit is zero, or a time point that has passed, and the lock is taken.
/// - `errc::bad_timeout`: the time limit is negative, or the hold limit is not positive.
/// - `errc::budget_exhausted`: the permits never fit into `client_options::max_path_bytes`; or the
///   time limit is zero, and the bytes are used up.
/// - `errc::owner_busy`: another acquire with the owner waits for the lock.
/// - `errc::upgrade_refused`: the owner holds the lock as a reader and acquires it to write, or
///   acquires more permits than it holds.
/// - `errc::bad_identity`: `acquire_options::identity` is not UTF-8, or longer than 4,096 bytes, or
///   begins with the line `__REVOKE__`, which stands for a release request. Nothing is sent.
/// - `errc::bad_permits`, `errc::bad_limit`: see `semaphore`.
///
/// @copydetails permanent_errors

/// @page query_errors Errors of looking at a lock
///
/// - `asio::error::operation_aborted`: the operation was cancelled.
/// - `errc::not_connected`, `errc::not_zookeeper`, `errc::tls_failed`, `errc::certificate_refused`,
///   `errc::certificate_demanded`: there was no connection for `client_options::connect_timeout`.
///   After a lost connection the operation starts again.
/// - `errc::no_permission`, `errc::refused`: the servers refuse a request.
/// - `errc::authentication_failed`, `errc::closed`: the client failed permanently or was
///   closed.

/// A lock of any kind: a `mutex`, a side of a `shared_mutex`, or a number of permits of a
/// `semaphore`. Every kind is acquired, inspected and broken alike, and returns a `hold`.
///
/// The object is only a name. It can be copied, and destroyed at any time: waiters go on waiting,
/// and holds stay. Any number of lock objects may name a path. They exclude each other as objects
/// in different processes do. A client uses a path as a single kind of lock at a time.
///
/// Thread safety: safe, except for destroying and assigning.
class ZKLOCK_EXPORT any_lock {
 public:
  /// The type of `get_executor()`.
  using executor_type = boost::asio::any_io_executor;

  /// Waits for the lock without a timeout.
  ///
  /// @copydetails acquire(acquire_options, CompletionToken&&) const
  template <boost::asio::completion_token_for<void(error_code, hold)> CompletionToken =
                boost::asio::deferred_t>
  auto acquire(CompletionToken&& token = {}) const {
    return acquire(acquire_options(), std::forward<CompletionToken>(token));
  }

  /// Waits for the lock for a duration, or until a time point. The limit covers connecting, getting
  /// in line and waiting.
  ///
  /// @copydetails acquire(acquire_options, CompletionToken&&) const
  template <boost::asio::completion_token_for<void(error_code, hold)> CompletionToken =
                boost::asio::deferred_t>
  auto acquire(time_limit limit, CompletionToken&& token = {}) const {
    return acquire(acquire_options{.timeout = limit}, std::forward<CompletionToken>(token));
  }

  /// Waits for the lock, as the options say.
  ///
  /// The program must keep the hold: `co_await lock.acquire(5s);` alone destroys it, which releases
  /// the lock at once. clang warns, gcc 12 does not. Write `const hold held = co_await
  /// lock.acquire(5s);`, or use `with_lock`.
  ///
  /// Completion: `void(error_code, hold)`, once the lock is held, or once it is certain that it
  /// will not be. With an error the hold is empty.
  ///
  /// Errors:
  /// @copydetails acquire_errors
  ///
  /// Cancellation: terminal, partial and total, until the lock is granted. Nothing is left behind:
  /// the client deletes the entry in the background.
  ///
  /// Thread safety: safe; see @ref executors.
  template <boost::asio::completion_token_for<void(error_code, hold)> CompletionToken =
                boost::asio::deferred_t>
  auto acquire(acquire_options options, CompletionToken&& token = {}) const {
    return detail::initiate<detail::acquire_signature>(
        std::forward<CompletionToken>(token), get_executor(),
        [request = request_, options = detail::owned_options(options)](
            detail::handler<detail::acquire_signature> handler) {
          start_acquire(request, options, std::move(handler));
        });
  }

  /// Acquires the lock if it is free: `if (auto held = co_await lock.try_acquire())`. Finding the
  /// lock taken costs a single read request, or no request if this client itself holds the lock or
  /// waits for it.
  ///
  /// Completion: `void(error_code, hold)`, once the lock is held, or once it is known to be taken.
  /// If the lock is taken, there is no error, and the hold is empty.
  ///
  /// Errors:
  /// @copydetails try_errors
  ///
  /// Cancellation: terminal, partial and total, until the lock is granted. Nothing is left behind.
  ///
  /// Thread safety: safe; see @ref executors.
  template <boost::asio::completion_token_for<void(error_code, hold)> CompletionToken =
                boost::asio::deferred_t>
  auto try_acquire(CompletionToken&& token = {}) const {
    return detail::initiate<detail::acquire_signature>(
        std::forward<CompletionToken>(token), get_executor(),
        [request = request_](detail::handler<detail::acquire_signature> handler) {
          start_try_acquire(request, std::move(handler));
        });
  }

  /// Lists the holders and the waiters in the order of the queue. For a semaphore the held permits
  /// come first, then the entries in line.
  ///
  /// Children of the directory that are no entries are left out. Waiters beyond
  /// `client_options::max_entries_per_lock` have no entry in ZooKeeper and are not listed. A
  /// Curator client that is first in line for a permit also has a node among the permits; the
  /// client is listed once, as a waiter.
  ///
  /// The operation sends a list request (for a semaphore, two). Then it sends, all at once, a
  /// request for each participant, and a request for the limit node if another client's permit may
  /// belong to a waiter.
  ///
  /// Completion: `void(error_code, std::vector<participant>)`, once all replies are here. The list
  /// is empty if nothing is in line, or if the path does not exist.
  ///
  /// Errors:
  /// @copydetails query_errors
  ///
  /// Cancellation: terminal, partial and total.
  ///
  /// Thread safety: safe; see @ref executors.
  template <boost::asio::completion_token_for<void(error_code, std::vector<participant>)>
                CompletionToken = boost::asio::deferred_t>
  auto participants(CompletionToken&& token = {}) const {
    return detail::initiate<detail::participants_signature>(
        std::forward<CompletionToken>(token), get_executor(),
        [request = request_](detail::handler<detail::participants_signature> handler) {
          start_participants(request, std::move(handler));
        });
  }

  /// Lists the holders only, for example after a try has failed with `errc::busy`. The number of
  /// requests does not depend on the number of waiters.
  ///
  /// The operation sends a list request, and a request for each holder, all at once. For a
  /// semaphore it sends another list and two requests if another client's permit may belong to a
  /// waiter.
  ///
  /// Completion: `void(error_code, std::vector<participant>)`, once all replies are here: a mutex
  /// has at most a single holder, and each held permit of a semaphore is a holder. The list is
  /// empty if the lock is free, and if the holders released it before they were read.
  ///
  /// Errors:
  /// @copydetails query_errors
  ///
  /// Cancellation: terminal, partial and total.
  ///
  /// Thread safety: safe; see @ref executors.
  template <boost::asio::completion_token_for<void(error_code, std::vector<participant>)>
                CompletionToken = boost::asio::deferred_t>
  auto holders(CompletionToken&& token = {}) const {
    return detail::initiate<detail::participants_signature>(
        std::forward<CompletionToken>(token), get_executor(),
        [request = request_](detail::handler<detail::participants_signature> handler) {
          start_holders(request, std::move(handler));
        });
  }

  /// Counts the waiters in line with a single request. Waiters beyond
  /// `client_options::max_entries_per_lock` have no entry in ZooKeeper and are not counted.
  ///
  /// Completion: `void(error_code, std::size_t)`, once the reply is here; 0 if the path does not
  /// exist.
  ///
  /// Errors:
  /// @copydetails query_errors
  ///
  /// Cancellation: terminal, partial and total.
  ///
  /// Thread safety: safe; see @ref executors.
  template <boost::asio::completion_token_for<void(error_code, std::size_t)> CompletionToken =
                boost::asio::deferred_t>
  auto count_waiting(CompletionToken&& token = {}) const {
    return detail::initiate<detail::count_signature>(
        std::forward<CompletionToken>(token), get_executor(),
        [request = request_](detail::handler<detail::count_signature> handler) {
          start_count_waiting(request, std::move(handler));
        });
  }

  /// Asks a participant to release the lock. The participant decides: see
  /// `hold::wait_release_requested`. A request to several permits that zklock holds together is
  /// written to the first permit. A waiter for permits forgets the request when it is granted them.
  ///
  /// On the wire this is the request of Curator's Revoker: the data of the znode becomes
  /// `__REVOKE__`. In znodes that zklock created, the identity of this client and the identity of
  /// the participant follow on lines of their own. The operation reads such a znode first, and
  /// sends two requests, else a single request.
  ///
  /// Completion: `void(error_code)`, once the request is written, or once the participant is gone.
  ///
  /// Errors:
  /// - `asio::error::operation_aborted`: the operation was cancelled.
  /// - `errc::bad_path`: the participant belongs to another lock.
  /// - `errc::not_connected`, `errc::not_zookeeper`, `errc::tls_failed`,
  ///   `errc::certificate_refused`, `errc::certificate_demanded`: there was no connection for
  ///   `client_options::connect_timeout`. After a lost connection the operation starts again.
  /// - `errc::no_permission`, `errc::refused`: the servers refuse a request.
  /// - `errc::authentication_failed`, `errc::closed`: the client failed permanently or was
  ///   closed.
  ///
  /// Cancellation: terminal, partial and total. The request may have been written all the same.
  ///
  /// Thread safety: safe; see @ref executors.
  template <
      boost::asio::completion_token_for<void(error_code)> CompletionToken = boost::asio::deferred_t>
  auto request_release(participant target, CompletionToken&& token = {}) const {
    return detail::initiate<detail::plain_signature>(
        std::forward<CompletionToken>(token), get_executor(),
        [request = request_,
         target = std::move(target)](detail::handler<detail::plain_signature> handler) {
          start_request_release(request, target, std::move(handler));
        });
  }

  /// Takes the lock away from all present holders: deletes their entries, so that the next waiters
  /// in line hold. It is meant for operators, if a stuck holder keeps its session alive. The node
  /// that a waiting Curator client has among the permits is left alone.
  ///
  /// The deletion does not stop a holder. A zklock client notices the deletion within
  /// `client_options::check_interval`, and at once if it waits for `hold::wait_release_requested`
  /// or is this very client. Its hold is then lost with `errc::entry_deleted`. Until then two
  /// holders may both count on the lock, and only storage that checks fencing tokens refuses late
  /// writes of the earlier holder. `request_release` is the polite way.
  ///
  /// Completion: `void(error_code, std::size_t)`, once the entries are gone, with the number of
  /// entries deleted: for a semaphore, of permits. After a lost connection the operation goes on
  /// with the entries that it found before; later holders keep their entries.
  ///
  /// Errors, after which some of the entries may have been deleted:
  /// - `asio::error::operation_aborted`: the operation was cancelled.
  /// - `errc::not_connected`, `errc::not_zookeeper`, `errc::tls_failed`,
  ///   `errc::certificate_refused`, `errc::certificate_demanded`: there was no connection for
  ///   `client_options::connect_timeout`.
  /// - `errc::no_permission`, `errc::refused`: the servers refuse a request.
  /// - `errc::authentication_failed`, `errc::closed`: the client failed permanently or was
  ///   closed.
  ///
  /// Cancellation: terminal, partial and total. Entries may have been deleted, or be deleted later.
  ///
  /// Thread safety: safe; see @ref executors.
  template <boost::asio::completion_token_for<void(error_code, std::size_t)> CompletionToken =
                boost::asio::deferred_t>
  auto break_lock(CompletionToken&& token = {}) const {
    return detail::initiate<detail::count_signature>(
        std::forward<CompletionToken>(token), get_executor(),
        [request = request_](detail::handler<detail::count_signature> handler) {
          start_break(request, std::nullopt, std::move(handler));
        });
  }

  /// Deletes the entry of a participant, a holder or a waiter. A waiter of a zklock client is
  /// requeued. A holder of several permits loses all of them when it notices that a permit is gone.
  /// If a Curator client waits for a permit and has created the permit's node, the operation also
  /// deletes this node, and the client gets in line again.
  ///
  /// The operation sends a single request, or up to seven if a client of another library waits for
  /// a permit.
  ///
  /// Completion: `void(error_code, std::size_t)`, once the entry is gone: 1 if it was deleted, 0 if
  /// it was gone before.
  ///
  /// Errors, after which the entry may have been deleted:
  /// - `asio::error::operation_aborted`: the operation was cancelled.
  /// - `errc::bad_path`: the participant belongs to another lock.
  /// - `errc::not_connected`, `errc::not_zookeeper`, `errc::tls_failed`,
  ///   `errc::certificate_refused`, `errc::certificate_demanded`: there was no connection for
  ///   `client_options::connect_timeout`.
  /// - `errc::no_permission`, `errc::refused`: the servers refuse a request.
  /// - `errc::authentication_failed`, `errc::closed`: the client failed permanently or was
  ///   closed.
  ///
  /// Cancellation: terminal, partial and total. The entry may have been deleted, or be deleted
  /// later.
  ///
  /// Thread safety: safe; see @ref executors.
  template <boost::asio::completion_token_for<void(error_code, std::size_t)> CompletionToken =
                boost::asio::deferred_t>
  auto break_lock(participant target, CompletionToken&& token = {}) const {
    return detail::initiate<detail::count_signature>(
        std::forward<CompletionToken>(token), get_executor(),
        [request = request_,
         target = std::move(target)](detail::handler<detail::count_signature> handler) {
          start_break(request, target, std::move(handler));
        });
  }

  /// Waits until the first holder is not `known`, or has another identity; an empty `known` stands
  /// for a free lock. To follow the leader of an election, pass the result of the last call. Of
  /// several readers the first in line counts, of a semaphore the oldest permit. A writer that
  /// becomes a reader has a new entry, and counts as a new holder. A release request does not
  /// count, even if it overwrites the identity.
  ///
  /// While it waits, the operation has a single watch, on the holder's entry or, if the lock is
  /// free, on the directory. It sends no requests meanwhile.
  ///
  /// Completion: `void(error_code, std::optional<participant>)`, with the new holder, or with an
  /// empty optional. It completes at once if the present holder is not `known`, or has another
  /// identity than `known`. A holder or an identity of short duration in between may be left out.
  ///
  /// Errors:
  /// @copydetails query_errors
  ///
  /// Cancellation: terminal, partial and total.
  ///
  /// Thread safety: safe; see @ref executors.
  template <boost::asio::completion_token_for<void(error_code, std::optional<participant>)>
                CompletionToken = boost::asio::deferred_t>
  auto wait_holder_changed(std::optional<participant> known, CompletionToken&& token = {}) const {
    return detail::initiate<detail::holder_signature>(
        std::forward<CompletionToken>(token), get_executor(),
        [request = request_,
         known = std::move(known)](detail::handler<detail::holder_signature> handler) {
          start_wait_holder_changed(request, known, std::move(handler));
        });
  }

  /// Returns the executor of the client.
  ///
  /// Thread safety: safe.
  [[nodiscard]] executor_type get_executor() const noexcept;

  /// Returns the path as it was given to the constructor.
  ///
  /// Thread safety: safe.
  [[nodiscard]] std::string_view path() const noexcept;

 protected:
  /// Makes a lock of a lock request.
  explicit any_lock(detail::lock_request request) noexcept;

  /// Returns the lock request.
  const detail::lock_request& wanted() const noexcept { return request_; }

  /// Makes a lock of a lock request, for a derived class.
  static any_lock make(detail::lock_request request) noexcept {
    return any_lock(std::move(request));
  }

 private:
  friend struct detail::lock_access;

  static void start_acquire(const detail::lock_request& request,
                            const detail::owned_options& options,
                            detail::handler<detail::acquire_signature> handler);
  static void start_try_acquire(const detail::lock_request& request,
                                detail::handler<detail::acquire_signature> handler);
  static void start_participants(const detail::lock_request& request,
                                 detail::handler<detail::participants_signature> handler);
  static void start_holders(const detail::lock_request& request,
                            detail::handler<detail::participants_signature> handler);
  static void start_count_waiting(const detail::lock_request& request,
                                  detail::handler<detail::count_signature> handler);
  static void start_request_release(const detail::lock_request& request, const participant& target,
                                    detail::handler<detail::plain_signature> handler);
  static void start_break(const detail::lock_request& request,
                          const std::optional<participant>& target,
                          detail::handler<detail::count_signature> handler);
  static void start_wait_holder_changed(const detail::lock_request& request,
                                        const std::optional<participant>& known,
                                        detail::handler<detail::holder_signature> handler);

  detail::lock_request request_;
};

} // namespace zklock

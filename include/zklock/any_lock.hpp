#pragma once

#include <zklock/acquire_options.hpp>
#include <zklock/client.hpp>
#include <zklock/detail/initiation.hpp>
#include <zklock/detail/lock_request.hpp>
#include <zklock/export.hpp>
#include <zklock/hold.hpp>
#include <zklock/participant.hpp>

#include <boost/asio/deferred.hpp>

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
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
  /// The hold must be kept: `co_await lock.acquire(5s);` alone destroys it and so gives the lock
  /// back at once. clang warns of that, gcc 12 does not. Write
  /// `const hold held = co_await lock.acquire(5s);`, or use `with_lock`.
  ///
  /// Completion: `void(error_code, hold)`, once the lock is held or it is certain that it will not
  /// be. The hold is empty where there is an error.
  ///
  /// Errors: `errc::closed`, `errc::authentication_failed`, `errc::no_permission`,
  /// `errc::no_chroot`, `errc::not_a_directory`, `errc::sequence_exhausted`,
  /// `errc::session_timeout_too_short`, `errc::server_too_old`, `errc::refused`,
  /// `errc::lock_type_mismatch` where the client uses the path as another kind of lock; for a
  /// semaphore `errc::bad_permits`, `errc::bad_limit` and `errc::budget_exhausted` where
  /// `client_options::owned_bytes` can never hold so many permits; and
  /// `asio::error::operation_aborted` when cancelled. A lost connection is no error, nor is a
  /// session that expires: the wait goes on.
  ///
  /// Cancellation: terminal, partial and total, until the lock is granted. Nothing is left behind:
  /// the client deletes the entry in the background.
  ///
  /// Thread safety: safe.
  template <boost::asio::completion_token_for<void(error_code, hold)> CompletionToken =
                boost::asio::deferred_t>
  auto acquire(CompletionToken&& token = {}) {
    return acquire(acquire_options(), std::forward<CompletionToken>(token));
  }

  /// Waits for the lock until a time is up. The time runs from the start of the operation and
  /// covers all of it: connecting, getting in line, waiting. Zero is a try.
  ///
  /// Completion, cancellation and thread safety as above.
  ///
  /// Errors: those above; `errc::bad_timeout` for a negative timeout; when the time is up,
  /// `errc::timed_out`; where no place in line was confirmed, or no connection stands at that
  /// moment, `errc::not_connected`, `errc::not_zookeeper`, `errc::session_timeout_too_short` or
  /// `errc::server_too_old`.
  template <class Rep, class Period,
            boost::asio::completion_token_for<void(error_code, hold)> CompletionToken =
                boost::asio::deferred_t>
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
  template <boost::asio::completion_token_for<void(error_code, hold)> CompletionToken =
                boost::asio::deferred_t>
  auto acquire(acquire_options options, CompletionToken&& token = {}) {
    return detail::initiate<detail::acquire_signature>(
        std::forward<CompletionToken>(token), get_executor(),
        [request = request_,
         options = std::move(options)](detail::handler<detail::acquire_signature> handler) {
          start_acquire(request, options, std::move(handler));
        });
  }

  /// Takes the lock if it is free. Where it is not, that costs one request, which only reads, and
  /// none where this client itself holds it or waits for it.
  ///
  /// Completion, cancellation and thread safety as above.
  ///
  /// Errors: those of `acquire()`; `errc::busy` where the lock is taken; `errc::budget_exhausted`
  /// where the client owns as much as it may; `errc::not_connected` or `errc::not_zookeeper` where
  /// no server answers within `client_options::connect_timeout`.
  template <boost::asio::completion_token_for<void(error_code, hold)> CompletionToken =
                boost::asio::deferred_t>
  auto try_acquire(CompletionToken&& token = {}) {
    return acquire(acquire_options{.timeout = std::chrono::nanoseconds::zero()},
                   std::forward<CompletionToken>(token));
  }

  /// Tells who holds the lock and who waits for it, in the order of the queue; of a semaphore first
  /// the permits that are taken, then those in line. Children of the directory that are no entries
  /// are left out. Those who wait in a client's process, beyond its `client_options::window`, have
  /// nothing in ZooKeeper and cannot be seen. A client of Curator's that is first in line for a
  /// permit has a node among the permits, too; it is told once, as waiting in line.
  ///
  /// Completion: `void(error_code, std::vector<participant>)`, once the servers have told. Empty
  /// where nobody takes part, or where the path does not exist. Takes one list (a semaphore: two)
  /// and then, all sent at once, one request for each participant, and one for a limit that is kept
  /// in a node where another client's permit may be that of a waiter.
  ///
  /// Errors: `errc::not_connected` or `errc::not_zookeeper` where there is no connection for
  /// `client_options::connect_timeout`; `errc::no_permission`, `errc::refused`; `errc::closed`,
  /// `errc::authentication_failed`; `asio::error::operation_aborted` when cancelled. After a lost
  /// connection it begins anew.
  ///
  /// Cancellation: terminal, partial and total.
  ///
  /// Thread safety: safe.
  ///
  /// Source: CURATOR-598, for telling what the holder's node says without holding the lock.
  template <boost::asio::completion_token_for<void(error_code, std::vector<participant>)>
                CompletionToken = boost::asio::deferred_t>
  auto participants(CompletionToken&& token = {}) const {
    return detail::initiate<detail::participants_signature>(
        std::forward<CompletionToken>(token), get_executor(),
        [request = request_](detail::handler<detail::participants_signature> handler) {
          start_participants(request, std::move(handler));
        });
  }

  /// Tells how many entries wait for the lock. Those who wait in a client's process, beyond its
  /// `client_options::window`, are not among them.
  ///
  /// Completion: `void(error_code, std::size_t)`, once the servers have told; 0 where the path does
  /// not exist. Takes one request.
  ///
  /// Errors, cancellation and thread safety as for `participants`.
  ///
  /// Source: CURATOR-316.
  template <boost::asio::completion_token_for<void(error_code, std::size_t)> CompletionToken =
                boost::asio::deferred_t>
  auto count_waiting(CompletionToken&& token = {}) const {
    return detail::initiate<detail::count_signature>(
        std::forward<CompletionToken>(token), get_executor(),
        [request = request_](detail::handler<detail::count_signature> handler) {
          start_count_waiting(request, std::move(handler));
        });
  }

  /// Asks a participant to let go; whether it does is its own affair: see
  /// `hold::wait_release_requested`. Of several permits that are held together by zklock the first
  /// one is asked, for all of them. One that waits for permits forgets the request when it gets
  /// them.
  ///
  /// On the wire it is the request of Curator's Revoker: the node's data becomes `__REVOKE__`; for
  /// nodes that zklock made, who asks and what the node said follow, each on lines of its own.
  ///
  /// Completion: `void(error_code)`, once the request is written, or the participant is gone.
  ///
  /// Errors: those of `participants`; `errc::bad_path` for a participant that is none of this
  /// lock's.
  ///
  /// Cancellation: terminal, partial and total; the request may have been made.
  ///
  /// Thread safety: safe.
  ///
  /// Source: Curator's Revoker; CURATOR-150, CURATOR-650.
  template <
      boost::asio::completion_token_for<void(error_code)> CompletionToken = boost::asio::deferred_t>
  auto request_release(participant whom, CompletionToken&& token = {}) const {
    return detail::initiate<detail::plain_signature>(
        std::forward<CompletionToken>(token), get_executor(),
        [request = request_,
         whom = std::move(whom)](detail::handler<detail::plain_signature> handler) {
          start_request_release(request, whom, std::move(handler));
        });
  }

  /// Takes the lock away from all who hold it now: deletes their entries, so that the next in line
  /// hold. For operators, where a holder that is stuck keeps its session alive. A permit that a
  /// client of Curator's waits for, and has a node of already, is left alone.
  ///
  /// A holder is not stopped by that: it learns of it when it looks for its entry, a zklock client
  /// within `client_options::check_interval`, and at once where it waits for
  /// `hold::wait_release_requested` or is of this very client. Its hold is then lost with
  /// `errc::entry_deleted`. Until then two may believe that they hold the lock, and only fencing
  /// tokens keep the earlier one from doing harm. `request_release` is the polite way.
  ///
  /// Completion: `void(error_code, std::size_t)`, once the entries are gone, with how many were
  /// deleted: of a semaphore, how many permits. After a lost connection it goes on with the entries
  /// that it found before: who holds meanwhile is not touched.
  ///
  /// Errors: those of `participants`. Some of the entries may have been deleted all the same.
  ///
  /// Cancellation: terminal, partial and total; entries may have been deleted, or may yet be.
  ///
  /// Thread safety: safe.
  template <boost::asio::completion_token_for<void(error_code, std::size_t)> CompletionToken =
                boost::asio::deferred_t>
  auto break_lock(CompletionToken&& token = {}) const {
    return detail::initiate<detail::count_signature>(
        std::forward<CompletionToken>(token), get_executor(),
        [request = request_](detail::handler<detail::count_signature> handler) {
          start_break(request, std::nullopt, std::move(handler));
        });
  }

  /// Deletes the entry of one participant, whether it holds or waits. One that waits, and is a
  /// zklock client, gets in line again. One that holds several permits loses all of them when it
  /// notices that one is gone. Where a client of Curator's waits for a permit and has made its node
  /// already, that node is deleted with the entry, and the client gets in line again.
  ///
  /// Completion, cancellation and thread safety as above: 1, or 0 where it was gone. Takes one
  /// request; up to seven where another client than zklock waits for a permit.
  ///
  /// Errors: those above; `errc::bad_path` for a participant that is none of this lock's.
  template <boost::asio::completion_token_for<void(error_code, std::size_t)> CompletionToken =
                boost::asio::deferred_t>
  auto break_lock(participant whom, CompletionToken&& token = {}) const {
    return detail::initiate<detail::count_signature>(
        std::forward<CompletionToken>(token), get_executor(),
        [request = request_,
         whom = std::move(whom)](detail::handler<detail::count_signature> handler) {
          start_break(request, whom, std::move(handler));
        });
  }

  /// Waits until the first who holds is another one than `known`: nothing stands for nobody. Pass
  /// what it told the last time, to follow who leads. Of several who read together the first in
  /// line counts, of a semaphore the oldest permit. A writer that becomes a reader has another
  /// entry, and so is another one.
  ///
  /// Completion: `void(error_code, std::optional<participant>)`, with whoever holds then; at once
  /// where that is another one than `known` already. Who held only for a moment in between may be
  /// left out. While it waits it has one watch, on the holder's entry or, where nobody holds, on
  /// the directory, and asks nothing.
  ///
  /// Errors: those of `participants`: one that cannot see who holds, since there is no connection
  /// for `client_options::connect_timeout`, says so.
  ///
  /// Cancellation: terminal, partial and total.
  ///
  /// Thread safety: safe.
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
  executor_type get_executor() const noexcept;

  /// Returns the path as it was given.
  ///
  /// Thread safety: safe.
  std::string_view path() const noexcept;

 protected:
  explicit any_lock(detail::lock_request request) noexcept;

  const detail::lock_request& wanted() const noexcept { return request_; }
  static any_lock make(detail::lock_request request) noexcept {
    return any_lock(std::move(request));
  }

 private:
  friend struct detail::lock_access;

  static void start_acquire(const detail::lock_request& request, const acquire_options& options,
                            detail::handler<detail::acquire_signature> handler);
  static void start_participants(const detail::lock_request& request,
                                 detail::handler<detail::participants_signature> handler);
  static void start_count_waiting(const detail::lock_request& request,
                                  detail::handler<detail::count_signature> handler);
  static void start_request_release(const detail::lock_request& request, const participant& whom,
                                    detail::handler<detail::plain_signature> handler);
  static void start_break(const detail::lock_request& request,
                          const std::optional<participant>& whom,
                          detail::handler<detail::count_signature> handler);
  static void start_wait_holder_changed(const detail::lock_request& request,
                                        const std::optional<participant>& known,
                                        detail::handler<detail::holder_signature> handler);

  detail::lock_request request_;
};

} // namespace zklock

#pragma once

#include <zklock/client_options.hpp>
#include <zklock/connection_state.hpp>
#include <zklock/detail/asio_settings.hpp>
#include <zklock/detail/initiation.hpp>
#include <zklock/export.hpp>
#include <zklock/found_lock.hpp>
#include <zklock/own_locks.hpp>
#include <zklock/stats.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/deferred.hpp>

#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace zklock {

namespace detail {
using found_locks_signature = void(error_code, std::vector<found_lock>);
using held_locks_signature = void(error_code, std::vector<held_lock>);
using awaited_locks_signature = void(error_code, std::vector<awaited_lock>);
} // namespace detail

/// A session with a ZooKeeper ensemble, shared by any number of locks.
///
/// The client connects by itself, and reconnects when the connection is lost. When the session
/// expires, the client makes a new session: waiters are requeued, and holds are lost. Until its
/// state is `connection_state::closed`, the client keeps its execution context busy:
/// `io_context::run()` does not return.
///
/// The client works on the threads that run its executor, in an internal strand. It starts no
/// threads, with two exceptions. Asio's resolver uses a thread once a server is given by name.
/// Ending a session takes a short-lived thread, since the C client blocks for it.
///
/// Destroying the client while locks are held and waited for is safe. Waiters complete with
/// `errc::closed`, holds are lost, and the session is ended in the background.
///
/// Locks and holds may outlive the client, and the client's execution context. Their operations
/// then end with `errc::closed`. So do pending operations when the context is destroyed, if the
/// handler's associated executor belongs to another living execution context, which the executor
/// must name as Asio's executors do. `hold::wait_lost` completes with `errc::closed` as the reason,
/// and a sent `hold::commit` with `errc::unknown_outcome`. An operation of several locks ends with
/// the context of the first lock's client. All of this also holds while an exception unwinds.
/// Handlers of the context itself are destroyed without a call, as Asio does. Locks and holds may
/// be used and destroyed while another thread destroys the context.
///
/// The client belongs to the process that made it. In a child made by `fork` the client is closed
/// and its holds are lost. No use of them in the child, such as destroying them, has an effect on
/// the session, which stays the parent's. See doc/fork.md.
///
/// Thread safety: safe, except for destroying and moving. See @ref executors.
class ZKLOCK_EXPORT client {
 public:
  /// The type of `get_executor()`.
  using executor_type = boost::asio::any_io_executor;

  /// Makes a client and starts connecting. All its work is done on `executor`.
  ///
  /// Errors: throws `boost::system::system_error` with `errc::bad_servers` or `errc::bad_option`,
  /// whose `what()` names the option and its value.
  ///
  /// A program does not link, since this function is missing, if its version of Asio or its
  /// configuration of Asio or of the standard library (`BOOST_ASIO_DISABLE_EPOLL`, io_uring,
  /// `_GLIBCXX_DEBUG`, the old ABI of strings) differs from the library's.
  ///
  /// Thread safety: distinct objects may be used concurrently.
  client(boost::asio::any_io_executor executor, client_options options)
      : client(std::move(executor), std::move(options), detail::asio_settings{}) {}

  /// Makes a client and starts connecting. All its work is done on the executor of `context`, an
  /// `io_context` for example.
  ///
  /// Errors: throws `boost::system::system_error` with `errc::bad_servers` or `errc::bad_option`,
  /// whose `what()` names the option and its value.
  ///
  /// Thread safety: distinct objects may be used concurrently.
  template <class ExecutionContext>
  requires std::convertible_to<ExecutionContext&, boost::asio::execution_context&>
  client(ExecutionContext& context, client_options options)
      : client(boost::asio::any_io_executor(context.get_executor()), std::move(options)) {}

  /// Takes over the session of another client, which can only be assigned to or destroyed then.
  ///
  /// Thread safety: safe, except for other functions of either object.
  client(client&& other) noexcept = default;

  /// Closes this client in the background, then takes over the session of `other`.
  ///
  /// Thread safety: safe, except for other functions of either object.
  client& operator=(client&& other) noexcept;

  /// Closes the client in the background.
  ///
  /// Thread safety: safe, except for other functions of this object.
  ~client();

  /// Ends the session, and with it deletes the entries of all locks. Waiters complete with
  /// `errc::closed`, and holds are lost at once.
  ///
  /// Completion: `void(error_code)`, once the servers have confirmed the end of the session, or if
  /// no entry can be left: before the first connection, after the session expired, after servers
  /// refused the credentials of a new session, and without a connection if the session has no
  /// entries; it then expires. Asio cannot interrupt the look-up of a name: `io_context::run()`
  /// returns only after a pending look-up.
  ///
  /// Errors:
  /// - `errc::not_connected`: the servers could not be told, or did not answer. Entries may be left
  ///   until the session expires.
  /// - `errc::closed`: the client is closed already, or this process is a child made by `fork`.
  ///
  /// Cancellation: none; closing cannot be taken back.
  ///
  /// Thread safety: safe; see @ref executors.
  template <
      boost::asio::completion_token_for<void(error_code)> CompletionToken = boost::asio::deferred_t>
  auto close(CompletionToken&& token = {}) {
    return detail::initiate<detail::plain_signature>(
        std::forward<CompletionToken>(token), get_executor(),
        [state = state_](detail::handler<detail::plain_signature> handler) {
          start_close(state, std::move(handler));
        });
  }

  /// Replaces the list of servers, for an ensemble whose servers change while the program runs; see
  /// `client_options::servers`. The list must name servers of the client's ensemble.
  ///
  /// A connection to a server that is in the new list stays. Otherwise the client gives up its
  /// connection, or its attempt to connect, and connects to a server of the new list at once. Its
  /// session goes on: waiters keep their places, and holds stay. As after a lost connection, a
  /// `hold::commit` that was sent may end with `errc::unknown_outcome`.
  ///
  /// The client compares addresses. Its connection stays while the client looks up names of the new
  /// list, and until the client knows an address of the list. If only some names can be resolved,
  /// the remaining names keep no connection.
  ///
  /// The function does not wait; `observer::state_changed` and the log tell when the client moves.
  /// The last of several calls counts. A list that equals the present list has no effect. No list
  /// has an effect on a client that is closed, or in a child made by `fork`.
  ///
  /// Errors: throws `boost::system::system_error` with `errc::bad_servers`, whose `what()` names
  /// the list and its fault, also if the chroot is not the present chroot, which is part of the
  /// paths of all locks. The client then keeps its list.
  ///
  /// Thread safety: safe; see @ref executors.
  void set_servers(std::string_view servers);

  /// Evicts all cached locks that are not in use; see `client_options::lock_cache`. A lock that is
  /// acquired meanwhile, or later, may be cached again.
  ///
  /// Completion: `void(error_code)`, once the entries are gone, or the session has ended.
  ///
  /// Errors:
  /// - `asio::error::operation_aborted`: the operation was cancelled. The entries are deleted
  ///   nevertheless.
  /// - `errc::authentication_failed`, `errc::closed`: the client failed permanently or was
  ///   closed.
  ///
  /// Cancellation: terminal, partial and total.
  ///
  /// Thread safety: safe; see @ref executors.
  template <
      boost::asio::completion_token_for<void(error_code)> CompletionToken = boost::asio::deferred_t>
  auto evict_cached(CompletionToken&& token = {}) const {
    return detail::initiate<detail::plain_signature>(
        std::forward<CompletionToken>(token), get_executor(),
        [state = state_](detail::handler<detail::plain_signature> handler) {
          start_evict_cached(state, std::move(handler));
        });
  }

  /// Finds the locks at `root` and below it, of any kind: locks of zklock, Curator, kazoo and
  /// go-zookeeper. `/` is the chroot, or the whole tree without `/zookeeper`.
  ///
  /// The names of the znodes show the kind. The search passes through directories of other nodes.
  /// An empty directory that had children before may be a lock or not; it is found as
  /// `lock_type::unknown`. Waiters beyond `client_options::max_entries_per_lock`, kazoo's
  /// Semaphore, and Curator's LeaderLatch are not found.
  ///
  /// The operation lists each node below `root` that is no entry, and reads each participant, with
  /// up to 64 requests at a time. It writes nothing and sets no watch. After a lost connection it
  /// continues.
  ///
  /// The result is no snapshot. Each node is shown as the connected server knew it at a moment of
  /// the search. Locks that are created or deleted meanwhile may be missing. The participants of a
  /// lock are consistent: participants that left before they were read are left out.
  ///
  /// Completion: `void(error_code, std::vector<found_lock>)`, once all replies are here, sorted by
  /// path. The list is empty where there is no lock. A node that may not be read is listed with
  /// `found_lock::error`, and the search goes on.
  ///
  /// Errors:
  /// - `errc::bad_path`: `root` is not the path of a znode.
  /// - `errc::no_node`, `errc::no_chroot`: `root` does not exist, or the chroot does not. The
  ///   servers remove a directory of locks that is a container once it is empty.
  /// - `asio::error::operation_aborted`: the operation was cancelled.
  /// - `errc::not_connected`, `errc::not_zookeeper`, `errc::tls_failed`,
  ///   `errc::certificate_refused`, `errc::certificate_demanded`: there was no connection for
  ///   `client_options::connect_timeout`.
  /// - `errc::authentication_failed`, `errc::closed`: the client failed permanently or was
  ///   closed.
  ///
  /// Cancellation: terminal, partial and total.
  ///
  /// Thread safety: safe; see @ref executors.
  template <boost::asio::completion_token_for<void(error_code, std::vector<found_lock>)>
                CompletionToken = boost::asio::deferred_t>
  auto find_locks(std::string_view root, CompletionToken&& token = {}) const {
    return find_locks(root, std::numeric_limits<std::size_t>::max(),
                      std::forward<CompletionToken>(token));
  }

  /// Finds the locks at `root` and at most `levels` levels of directories below it. With 0 it looks
  /// at `root` only, which tells the kind of this lock.
  ///
  /// @copydetails find_locks(std::string_view, CompletionToken&&) const
  template <boost::asio::completion_token_for<void(error_code, std::vector<found_lock>)>
                CompletionToken = boost::asio::deferred_t>
  auto find_locks(std::string_view root, std::size_t levels, CompletionToken&& token = {}) const {
    return detail::initiate<detail::found_locks_signature>(
        std::forward<CompletionToken>(token), get_executor(),
        [state = state_, root = std::string(root),
         levels](detail::handler<detail::found_locks_signature> handler) {
          start_find_locks(state, root, levels, std::move(handler));
        });
  }

  /// Lists the locks that this client holds, in no order. It sends no request, and works without a
  /// connection.
  ///
  /// Completion: `void(error_code, std::vector<held_lock>)`, soon.
  ///
  /// Errors:
  /// - `asio::error::operation_aborted`: the operation was cancelled.
  /// - `errc::authentication_failed`, `errc::closed`: the client failed permanently or was
  ///   closed.
  ///
  /// Cancellation: terminal, partial and total.
  ///
  /// Thread safety: safe; see @ref executors.
  template <boost::asio::completion_token_for<void(error_code, std::vector<held_lock>)>
                CompletionToken = boost::asio::deferred_t>
  auto held_locks(CompletionToken&& token = {}) const {
    return detail::initiate<detail::held_locks_signature>(
        std::forward<CompletionToken>(token), get_executor(),
        [state = state_](detail::handler<detail::held_locks_signature> handler) {
          start_held_locks(state, std::move(handler));
        });
  }

  /// Lists the waiting acquires of this client, in no order, also acquires beyond
  /// `client_options::max_entries_per_lock`. It sends no request, and works without a connection.
  /// It leaves out an owner that holds the lock already and waits only until the session is
  /// confirmed.
  ///
  /// Completion: `void(error_code, std::vector<awaited_lock>)`, soon.
  ///
  /// Errors:
  /// - `asio::error::operation_aborted`: the operation was cancelled.
  /// - `errc::authentication_failed`, `errc::closed`: the client failed permanently or was
  ///   closed.
  ///
  /// Cancellation: terminal, partial and total.
  ///
  /// Thread safety: safe; see @ref executors.
  template <boost::asio::completion_token_for<void(error_code, std::vector<awaited_lock>)>
                CompletionToken = boost::asio::deferred_t>
  auto awaited_locks(CompletionToken&& token = {}) const {
    return detail::initiate<detail::awaited_locks_signature>(
        std::forward<CompletionToken>(token), get_executor(),
        [state = state_](detail::handler<detail::awaited_locks_signature> handler) {
          start_awaited_locks(state, std::move(handler));
        });
  }

  /// Returns the executor of the client. This is the executor that the client was made with if it
  /// is the executor of an `io_context`, of a `thread_pool` or of the system. Otherwise, for
  /// example if the client was made with a strand, it is an executor that runs functions on that
  /// executor, and whose copies may outlive the execution context: then they destroy the functions.
  ///
  /// Thread safety: safe.
  [[nodiscard]] executor_type get_executor() const noexcept;

  /// Returns whether a connection stands, as far as the client knows.
  ///
  /// Thread safety: safe.
  [[nodiscard]] bool connected() const noexcept;

  /// Returns the state of the connection, as far as the client knows: `connection_state::closed` in
  /// a child made by `fork`.
  ///
  /// Thread safety: safe.
  [[nodiscard]] connection_state state() const noexcept;

  /// Returns the counters of the client since its construction, and its present state. Sends no
  /// request and never waits. It works without a connection, after `close`, and after the execution
  /// context is destroyed.
  ///
  /// The numbers are read one after the other while the client goes on: a snapshot may have counted
  /// a part of an event only. After `close` has completed, the numbers are final.
  ///
  /// Thread safety: safe. It does not block the client. Its time grows with the number of labels.
  [[nodiscard]] zklock::stats stats() const;

  /// Returns the number of cached entries that are not in use; see `client_options::lock_cache`. 0
  /// in a child made by `fork`.
  ///
  /// Thread safety: safe.
  [[nodiscard]] std::size_t cached() const noexcept;

  /// Returns the id of the session; 0 if there is no session.
  ///
  /// Thread safety: safe.
  [[nodiscard]] std::int64_t session_id() const noexcept;

  /// Returns the session timeout that the servers granted, in milliseconds; before the first
  /// connection, the requested session timeout.
  ///
  /// Thread safety: safe.
  [[nodiscard]] std::chrono::milliseconds session_timeout() const noexcept;

 private:
  friend class mutex;
  friend class shared_mutex;
  friend class semaphore;

  client(boost::asio::any_io_executor executor, client_options options, detail::asio_settings);

  static void start_evict_cached(const std::shared_ptr<detail::client_impl>& state,
                                 detail::handler<detail::plain_signature> handler);
  static void start_close(const std::shared_ptr<detail::client_impl>& state,
                          detail::handler<detail::plain_signature> handler);
  static void start_held_locks(const std::shared_ptr<detail::client_impl>& state,
                               detail::handler<detail::held_locks_signature> handler);
  static void start_awaited_locks(const std::shared_ptr<detail::client_impl>& state,
                                  detail::handler<detail::awaited_locks_signature> handler);
  static void start_find_locks(const std::shared_ptr<detail::client_impl>& state,
                               const std::string& root, std::size_t levels,
                               detail::handler<detail::found_locks_signature> handler);

  std::shared_ptr<detail::client_impl> state_;
};

} // namespace zklock

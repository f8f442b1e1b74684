#pragma once

#include <zklock/client_options.hpp>
#include <zklock/detail/asio_build.hpp>
#include <zklock/detail/initiation.hpp>
#include <zklock/export.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/deferred.hpp>

#include <chrono>
#include <concepts>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>

namespace zklock {

/// A session with a ZooKeeper ensemble, shared by any number of locks.
///
/// It connects by itself, reconnects when the connection is lost, and makes a new session when one
/// expires: waiters then queue again by themselves, holders are told. Until it is closed it keeps
/// its execution context busy: `io_context::run()` does not return.
///
/// It starts no threads: all work is done on the threads that run its executor, in an internal
/// strand. Two exceptions: Asio's own resolver uses a thread once a server is given by name, and
/// ending a session takes a short-lived one, since the C client can only do it by blocking.
///
/// Destroying it with locks held and waited for is safe: waiters complete with `errc::closed`,
/// holds are lost, and the session is ended in the background. Locks and holds may outlive it, and
/// may outlive its execution context. Operations then end with `errc::closed`, those that are under
/// way when the context is destroyed among them, where the handler's associated executor is of
/// another execution context, which must exist and whose executor tells which one it is, as those
/// of Asio do; `hold::wait_lost` completes with that as the reason, a `hold::commit` that was sent
/// with `errc::unknown_outcome`. The handlers of other operations are destroyed without being
/// called, as the context destroys its own.
///
/// It belongs to the process in which it was made. In a child that `fork` makes of it the client is
/// closed and its holds are lost: nothing that the child does with them, such as destroying them,
/// has any effect on the session, which stays the parent's. See doc/fork.md.
///
/// Thread safety: safe, but for destroying and moving.
class ZKLOCK_EXPORT client {
 public:
  using executor_type = boost::asio::any_io_executor;

  /// Makes a client and starts connecting.
  ///
  /// Errors: throws `boost::system::system_error` with `errc::bad_servers` or `errc::bad_option`,
  /// whose `what()` names the option and its value.
  ///
  /// A program whose Asio is of another version than the library's, or configured otherwise
  /// (`BOOST_ASIO_DISABLE_EPOLL`, io_uring), does not link: this function is missing.
  client(boost::asio::any_io_executor executor, client_options options)
      : client(std::move(executor), std::move(options), detail::asio_configuration{}) {}

  /// The same for an execution context's executor.
  template <class ExecutionContext>
  requires std::convertible_to<ExecutionContext&, boost::asio::execution_context&>
  client(ExecutionContext& context, client_options options)
      : client(boost::asio::any_io_executor(context.get_executor()), std::move(options)) {}

  client(client&&) noexcept = default;

  /// Closes this client in the background, then takes the other's place.
  client& operator=(client&& other) noexcept;

  /// Closes the client in the background.
  ~client();

  /// Gives everything back: refuses those who wait (`errc::closed`), ends the session, and with it
  /// deletes the entries of all locks. Holds are lost at once.
  ///
  /// Completion: `void(error_code)`, once the servers have confirmed the end of the session, or
  /// where no entry can be left: before the first connection, after the session expired. Asio
  /// cannot interrupt the look-up of a name: where one is under way, `io_context::run()` returns
  /// only when that has ended.
  ///
  /// Errors: `errc::not_connected` where entries may be left, and the servers could not be told or
  /// did not answer: they then go when the session expires. `errc::closed` where the client is
  /// closed already, or this is the child of a fork.
  ///
  /// Cancellation: none; closing cannot be taken back.
  ///
  /// Thread safety: safe.
  template <
      boost::asio::completion_token_for<void(error_code)> CompletionToken = boost::asio::deferred_t>
  auto close(CompletionToken&& token = {}) {
    return detail::initiate<detail::plain_signature>(
        std::forward<CompletionToken>(token), get_executor(),
        [state = state_](detail::handler<detail::plain_signature> handler) {
          start_close(state, std::move(handler));
        });
  }

  /// Returns the executor that the client was made with.
  ///
  /// Thread safety: safe.
  executor_type get_executor() const noexcept;

  /// Returns whether a connection stands, as far as the client knows.
  ///
  /// Thread safety: safe.
  bool connected() const noexcept;

  /// Returns the id of the session, 0 where there is none.
  ///
  /// Thread safety: safe.
  std::int64_t session_id() const noexcept;

  /// Returns the session timeout that the servers granted; before, the one that is asked for.
  ///
  /// Thread safety: safe.
  std::chrono::milliseconds session_timeout() const noexcept;

 private:
  friend class mutex;
  friend class shared_mutex;
  friend class semaphore;

  client(boost::asio::any_io_executor executor, client_options options, detail::asio_configuration);

  static void start_close(const std::shared_ptr<detail::client_state>& state,
                          detail::handler<detail::plain_signature> handler);

  std::shared_ptr<detail::client_state> state_;
};

} // namespace zklock

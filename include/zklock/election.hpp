#pragma once

#include <zklock/mutex.hpp>
#include <zklock/with_lock.hpp>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

namespace zklock {

/// The election of a leader among all processes that name its path. Each `run` is a candidate: it
/// waits, leads, and runs a coroutine while it leads. When the leader is gone, the next candidate
/// leads.
///
/// The leader is the holder of a `mutex` at the path, and the next leader is the first waiter in
/// line. Curator's LeaderSelector (not its LeaderLatch) takes part on the same path.
///
/// The object is only a name. It can be copied, and destroyed at any time: candidates stay in line.
///
/// Thread safety: safe, except for destroying and assigning.
class ZKLOCK_EXPORT election {
 public:
  /// Names the election. `path` is the znode under which each candidate has its entry. Sends no
  /// request.
  ///
  /// Errors: throws `boost::system::system_error` with `errc::bad_path`, whose `what()` names the
  /// path and the fault.
  ///
  /// Thread safety: distinct objects may be used concurrently.
  election(const client& client, std::string_view path) : lock_(client, path) {}

  /// Waits to be elected and runs a coroutine while leading. If the leadership is lost meanwhile,
  /// the candidate waits to be elected again, until the coroutine has returned while it led.
  ///
  /// `body` is called with the hold, or with nothing, at each election, and returns a
  /// `boost::asio::awaitable`. It is cancelled (terminal) when the hold is lost, and before that
  /// when a tenth of the session timeout is left until `hold::valid_until()`: also while the
  /// client's executor is blocked. The body must respond to cancellation. A cancelled body that
  /// throws `operation_aborted` is called again at the next election, and so is a body that returns
  /// when another candidate may lead already. A body that returns in time ends the run.
  ///
  /// A body that releases its hold resigns. A body that moves the hold out keeps the leadership in
  /// the moved hold. In both cases the run ends when the body returns.
  ///
  /// The body runs in a strand of its own on top of the caller's executor.
  ///
  /// Completion: returns the result of the body, once the leadership is released. The result tells
  /// whether the body resigned, if the program wants to know. If the servers do not answer before
  /// `hold::valid_until()`, the release goes on in the background.
  ///
  /// Errors: throws the exception of the body, once the leadership is released. Throws
  /// `boost::system::system_error` with an error of the wait:
  /// @copydetails permanent_errors
  ///
  /// Cancellation: terminal. It ends the wait, or is passed on to the body, which is not called
  /// again.
  ///
  /// Thread safety: safe; several runs are several candidates. See @ref executors.
  template <class Body>
  boost::asio::awaitable<detail::body_result<Body, hold>> run(Body body) const {
    return run(acquire_options(), std::move(body));
  }

  /// Waits to be elected as the options say, and runs a coroutine while leading. The options apply
  /// to each wait and each leadership: the time limit ends a wait, and the hold limit ends a term.
  /// The client does not cache the leadership.
  ///
  /// Errors, besides the errors of `run` without options: throws `boost::system::system_error` with
  /// - `errc::timed_out`: the time limit is over, and another candidate leads.
  /// - `errc::not_connected`, `errc::not_zookeeper`, `errc::tls_failed`,
  ///   `errc::certificate_refused`, `errc::certificate_demanded`: the time limit is over, and no
  ///   connection stands.
  /// - `errc::busy`: the time limit is zero, and another candidate leads.
  /// - `errc::bad_timeout`: the time limit is negative, or the hold limit is not positive.
  ///
  /// @copydetails run(Body) const
  template <class Body>
  boost::asio::awaitable<detail::body_result<Body, hold>> run(acquire_options options,
                                                              Body body) const {
    return run_with(lock_, detail::owned_options(options), std::move(body));
  }

  /// Waits to be elected and runs a coroutine while leading. Takes a completion token, for callers
  /// that are no coroutines of `any_io_executor`.
  ///
  /// The body is as without a token. It runs in a strand of its own on top of the handler's
  /// associated executor, by default the client's executor. The result of the body must be default
  /// constructible.
  ///
  /// Completion: `void(std::exception_ptr, T)` if the body returns an `awaitable<T>`,
  /// `void(std::exception_ptr)` if it returns an `awaitable<void>`. Completes when `run` without a
  /// token would return, and with the exception that it would throw.
  ///
  /// Cancellation: terminal. It ends the wait, or is passed on to the body, which is not called
  /// again. Emit the signal on the handler's executor.
  ///
  /// Thread safety: safe; several runs are several candidates. See @ref executors.
  template <detail::no_limit Body,
            boost::asio::completion_token_for<detail::body_signature<Body, hold>> CompletionToken>
  auto run(Body body, CompletionToken&& token) const {
    return run(acquire_options(), std::move(body), std::forward<CompletionToken>(token));
  }

  /// Waits to be elected as the options say, and runs a coroutine while leading. Takes a completion
  /// token, for callers that are no coroutines of `any_io_executor`.
  ///
  /// @copydetails run(Body, CompletionToken&&) const
  template <class Body,
            boost::asio::completion_token_for<detail::body_signature<Body, hold>> CompletionToken>
  auto run(acquire_options options, Body body, CompletionToken&& token) const {
    return detail::start_coroutine(get_executor(),
                                   run_with(lock_, detail::owned_options(options), std::move(body)),
                                   std::forward<CompletionToken>(token));
  }

  /// Returns the lock that the leader holds. Its `participants` and `wait_holder_changed` show the
  /// leader, the next candidates and each change.
  ///
  /// Thread safety: safe.
  [[nodiscard]] any_lock lock() const { return lock_; }

  /// Returns the executor of the client.
  ///
  /// Thread safety: safe.
  [[nodiscard]] mutex::executor_type get_executor() const noexcept { return lock_.get_executor(); }

  /// Returns the path as it was given to the constructor.
  ///
  /// Thread safety: safe.
  [[nodiscard]] std::string_view path() const noexcept { return lock_.path(); }

 private:
  // The lock is a template parameter, so that `acquire` is compiled where a program calls `run`,
  // and not in each program that includes this header.
  template <class Lock, class Body>
  static boost::asio::awaitable<detail::body_result<Body, hold>>
  run_with(Lock lock, detail::owned_options options, Body body) {
    auto wanted = options.view();
    wanted.cache = false;
    for (;;) {
      hold held = co_await lock.acquire(wanted, boost::asio::use_awaitable);
      if constexpr (std::is_void_v<detail::body_result<Body, hold>>) {
        const error_code lost =
            co_await detail::run_until_lost(held, detail::call_body(body, held));
        if (!lost) co_return;
      } else {
        std::optional<detail::body_result<Body, hold>> result;
        const error_code lost =
            co_await detail::run_until_lost(held, detail::keep_result(body, held, result));
        if (!lost) co_return std::move(*result);
      }
    }
  }

  mutex lock_;
};

} // namespace zklock

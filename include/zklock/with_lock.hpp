#pragma once

#include <zklock/acquire_options.hpp>
#include <zklock/detail/initiation.hpp>
#include <zklock/detail/owned_options.hpp>
#include <zklock/export.hpp>
#include <zklock/hold.hpp>
#include <zklock/time_limit.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <concepts>
#include <exception>
#include <optional>
#include <type_traits>
#include <utility>

namespace zklock {

namespace detail {

/// Runs a body while a hold is proven, then releases the hold unless the body has done so. Throws
/// the reason if the hold was lost.
ZKLOCK_EXPORT asio::awaitable<void> run_while_held(hold& held, asio::awaitable<void> body);
ZKLOCK_EXPORT asio::awaitable<void> run_while_held(multi_hold& held, asio::awaitable<void> body);

/// As `run_while_held`, but returns the reason of a loss; success if the body has come to its end.
ZKLOCK_EXPORT asio::awaitable<error_code> run_until_lost(hold& held, asio::awaitable<void> body);

template <class T>
struct awaited {
  static constexpr bool is_awaitable = false;
};

template <class T>
struct awaited<asio::awaitable<T>> {
  static constexpr bool is_awaitable = true;
  using type = T;
};

/// A lock of any kind, or a `multi_lock`.
template <class T>
concept lock = requires(const T& lock) {
  lock.acquire(asio::use_awaitable);
};

/// An argument that can be a body, since it is no limit of waiting.
template <class T>
concept no_limit = !std::convertible_to<T, time_limit> && !std::same_as<T, acquire_options>;

/// The type of a lock's holds.
template <class Lock>
using hold_of =
    typename awaited<decltype(std::declval<const Lock&>().acquire(asio::use_awaitable))>::type;

template <class Function, class... Arguments>
concept coroutine_function = std::invocable<Function&, Arguments&...> &&
    awaited<std::invoke_result_t<Function&, Arguments&...>>::is_awaitable;

/// Calls a body with the hold, or with nothing.
template <class Body, class Hold>
auto call_body(Body& body, Hold& held) {
  constexpr bool takes_hold = std::invocable<Body&, Hold&>;
  constexpr bool is_callable = takes_hold || std::invocable<Body&>;
  constexpr bool is_called = awaited<Body>::is_awaitable;
  constexpr bool is_coroutine =
      takes_hold ? coroutine_function<Body, Hold> : coroutine_function<Body>;
  static_assert(!is_called, "zklock: pass the body itself, not the awaitable that it returns");
  static_assert(is_called || is_callable, "zklock: the body takes the hold as `hold&`, or nothing");
  static_assert(!is_callable || is_coroutine,
                "zklock: the body is a coroutine that returns boost::asio::awaitable<T>");
  // The last branch is for a body that fails an assertion: no other message follows.
  if constexpr (is_coroutine && takes_hold)
    return body(held);
  else if constexpr (is_coroutine)
    return body();
  else
    return asio::awaitable<void>();
}

template <class Body, class Hold>
struct result_of_body : awaited<decltype(call_body(std::declval<Body&>(), std::declval<Hold&>()))> {
};

template <class Body, class Hold>
using body_result = typename result_of_body<Body, Hold>::type;

/// The return type of `with_lock`.
template <class Lock, class Body>
using with_lock_result = asio::awaitable<body_result<Body, hold_of<Lock>>>;

template <class Body, class Hold, class Result>
asio::awaitable<void> keep_result(Body& body, Hold& held, Result& result) {
  result.emplace(co_await call_body(body, held));
}

template <class Body, class Hold>
asio::awaitable<body_result<Body, Hold>> run_body(Hold held, Body body) {
  if constexpr (std::is_void_v<body_result<Body, Hold>>) {
    co_await run_while_held(held, call_body(body, held));
  } else {
    std::optional<body_result<Body, Hold>> result;
    co_await run_while_held(held, keep_result(body, held, result));
    co_return std::move(*result);
  }
}

template <class Lock, class Body>
with_lock_result<Lock, Body> acquire_and_run(Lock lock, owned_options options, Body body) {
  auto held = co_await lock.acquire(options.view(), asio::use_awaitable);
  co_return co_await run_body(std::move(held), std::move(body));
}

/// The completion signature of a coroutine that is started with a completion token.
template <class T>
struct signature_of_coroutine {
  using type = void(std::exception_ptr, T);
};

template <>
struct signature_of_coroutine<void> {
  using type = void(std::exception_ptr);
};

template <class Body, class Hold>
using body_signature = typename signature_of_coroutine<body_result<Body, Hold>>::type;

/// The initiation of a coroutine, which runs on the executor of its handler.
struct coroutine_start {
  using executor_type = asio::any_io_executor;
  executor_type get_executor() const noexcept { return client; }

  template <class Handler, class T>
  void operator()(Handler&& handler, asio::awaitable<T> started) const {
    const auto found = asio::get_associated_executor(handler, client);
    asio::any_io_executor executor;
    if constexpr (io_executor<decltype(found)>)
      executor = any_io_executor_of(found);
    else
      executor = contextless_executor(found, client);
    asio::co_spawn(std::move(executor), std::move(started), std::forward<Handler>(handler));
  }

  /// The executor for a handler without an executor, whose context is the context of an executor
  /// without a context.
  asio::any_io_executor client;
};

/// Starts a coroutine on the executor of its handler; `client` as in `coroutine_start`.
template <class T, class CompletionToken>
auto start_coroutine(const asio::any_io_executor& client, asio::awaitable<T> coroutine,
                     CompletionToken&& token) {
  constexpr bool is_executor = accepted<asio::associated_executor_t<std::decay_t<CompletionToken>>>;
  static_assert(is_executor, "zklock: the handler's executor is none that Asio accepts");
  if constexpr (is_executor)
    return asio::async_initiate<CompletionToken, typename signature_of_coroutine<T>::type>(
        coroutine_start{client}, token, std::move(coroutine));
}

} // namespace detail

/// Acquires a lock as the options say, runs a coroutine while it is held, and releases the lock.
/// `lock` is a lock of any kind, or a `multi_lock`.
///
/// `body` is called with the hold, or with nothing, and returns a `boost::asio::awaitable`. The
/// body is cancelled (terminal) when the hold is lost, and before that in two cases:
/// - A tenth of the session timeout is left until `hold::valid_until()`. The servers have not
///   confirmed the session for so long that it may be lost soon.
/// - A tenth of `acquire_options::hold_limit` or of the session timeout, whichever is shorter, is
///   left until the limit is over.
///
/// Of a `multi_hold` the earliest lock counts. The body must respond to cancellation, and has this
/// time to finish: later work may meet another holder. A timer on the body's own executor cancels
/// it in both cases, also while the client's executor is blocked. The client's executor reports a
/// loss. A body that has not begun by then does not begin.
///
/// The body may release its hold before it returns, or move it out. From the start of the release
/// on the hold does not cancel the body. A hold that was moved out cancels the body until the body
/// ends, since the body may use it in a variable of its own. The hold then belongs to the program,
/// and `with_lock` does not wait for its release.
///
/// gcc 12 destroys a capturing lambda twice if it is written inside the expression of a `co_await`.
/// Give the body a name: a function, or a lambda in a variable:
///
/// ```
/// auto body = [order = std::move(order)](hold& held) -> asio::awaitable<void> { ... };
/// co_await with_lock(lock, 5s, std::move(body));
/// ```
///
/// The body runs in a strand of its own on top of the caller's executor, so that it can be
/// cancelled safely on any executor. The operation has a copy of `lock`: a temporary will do.
///
/// Completion: returns the result of the body, once the lock is released. If the hold is in doubt,
/// or the servers do not answer before `hold::valid_until()`, the release goes on in the
/// background.
///
/// Errors: throws the exception of the body. Throws `boost::system::system_error` if the body was
/// cancelled because of the hold and threw `operation_aborted`, or if it returned when the lock was
/// no longer certainly held and had neither released its hold nor moved it out: with
/// `errc::in_doubt`, `errc::session_expired`, `errc::data_rolled_back`, `errc::entry_deleted`,
/// `errc::hold_limit_reached`, `errc::closed` or `errc::authentication_failed`. Also throws it with
/// the error of the acquire:
/// @copydetails acquire_errors
///
/// Cancellation: terminal. It is passed on to the acquire or to the body.
///
/// Thread safety: safe; see @ref executors.
template <detail::lock Lock, class Body>
detail::with_lock_result<Lock, Body> with_lock(Lock lock, acquire_options options, Body body) {
  return detail::acquire_and_run(std::move(lock), detail::owned_options(options), std::move(body));
}

/// Waits for a lock for a duration, or until a time point, runs a coroutine while it is held, and
/// releases the lock.
///
/// @copydetails with_lock(Lock, acquire_options, Body)
template <detail::lock Lock, class Body>
detail::with_lock_result<Lock, Body> with_lock(Lock lock, time_limit limit, Body body) {
  return with_lock(std::move(lock), acquire_options{.timeout = limit}, std::move(body));
}

/// Waits for a lock without a limit, runs a coroutine while it is held, and releases the lock.
///
/// @copydetails with_lock(Lock, acquire_options, Body)
template <detail::lock Lock, class Body>
detail::with_lock_result<Lock, Body> with_lock(Lock lock, Body body) {
  return with_lock(std::move(lock), acquire_options(), std::move(body));
}

/// Acquires a lock as the options say, runs a coroutine while it is held, and releases the lock.
/// Takes a completion token, for callers that are no coroutines of `any_io_executor`.
///
/// The body is as without a token. It runs in a strand of its own on top of the handler's
/// associated executor, by default the client's executor. The result of the body must be default
/// constructible.
///
/// Completion: `void(std::exception_ptr, T)` if the body returns an `awaitable<T>`,
/// `void(std::exception_ptr)` if it returns an `awaitable<void>`. Completes when `with_lock`
/// without a token would return, and with the exception that it would throw.
///
/// Cancellation: terminal. It is passed on to the acquire or to the body. Emit the signal on the
/// handler's executor.
///
/// Thread safety: safe; see @ref executors.
template <detail::lock Lock, class Body,
          boost::asio::completion_token_for<detail::body_signature<Body, detail::hold_of<Lock>>>
              CompletionToken>
auto with_lock(Lock lock, acquire_options options, Body body, CompletionToken&& token) {
  const auto executor = lock.get_executor();
  return detail::start_coroutine(executor, with_lock(std::move(lock), options, std::move(body)),
                                 std::forward<CompletionToken>(token));
}

/// Waits for a lock for a duration, or until a time point, runs a coroutine while it is held, and
/// releases the lock. Takes a completion token.
///
/// @copydetails with_lock(Lock, acquire_options, Body, CompletionToken&&)
template <detail::lock Lock, class Body,
          boost::asio::completion_token_for<detail::body_signature<Body, detail::hold_of<Lock>>>
              CompletionToken>
auto with_lock(Lock lock, time_limit limit, Body body, CompletionToken&& token) {
  return with_lock(std::move(lock), acquire_options{.timeout = limit}, std::move(body),
                   std::forward<CompletionToken>(token));
}

/// Waits for a lock without a limit, runs a coroutine while it is held, and releases the lock.
/// Takes a completion token.
///
/// @copydetails with_lock(Lock, acquire_options, Body, CompletionToken&&)
template <detail::lock Lock, detail::no_limit Body,
          boost::asio::completion_token_for<detail::body_signature<Body, detail::hold_of<Lock>>>
              CompletionToken>
auto with_lock(Lock lock, Body body, CompletionToken&& token) {
  return with_lock(std::move(lock), acquire_options(), std::move(body),
                   std::forward<CompletionToken>(token));
}

} // namespace zklock

#pragma once

#include <zklock/detail/adapted_executor.hpp>
#include <zklock/detail/immediate_executor.hpp>
#include <zklock/error.hpp>

#include <boost/asio/any_completion_executor.hpp>
#include <boost/asio/any_completion_handler.hpp>
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/execution/context.hpp>
#include <boost/asio/query.hpp>
#include <boost/asio/system_executor.hpp>

#include <concepts>
#include <cstddef>
#include <functional>
#include <memory>
#include <type_traits>
#include <utility>
#include <variant>

namespace zklock {

class hold;
class multi_hold;
struct acquire_options;

namespace detail {

namespace asio = boost::asio;

class client_impl;
class acquisition;
struct lock_definition;

using acquire_signature = void(error_code, hold);
using multi_signature = void(error_code, multi_hold);
using any_signature = void(error_code, std::size_t, hold);
using plain_signature = void(error_code);
using lost_signature = void(error_code, error_code);

/// A type-erased handler and its executor. `any_completion_executor` accepts every executor, but
/// needs two allocations to track outstanding work.
template <class Signature>
struct handler {
  using executor_type = std::variant<asio::any_io_executor, asio::any_completion_executor>;

  /// The executor is the associated executor of the handler, or `fallback`.
  template <class Handler>
  handler(Handler&& h, const asio::any_io_executor& fallback)
      : executor(erased(asio::get_associated_executor(h, fallback))),
        elsewhere(is_elsewhere(executor, fallback)),
        immediate(h, fallback),
        function(erasable(std::forward<Handler>(h), executor)) {}

  executor_type executor;
  /// Whether the executor certainly belongs to another execution context than the fallback. Such an
  /// executor can be used after the destruction of the fallback's context.
  bool elsewhere;
  [[no_unique_address]] immediate_executor immediate;
  asio::any_completion_handler<Signature> function;

 private:
  // any_completion_handler refuses executors of the Networking TS.
  template <class Handler>
  static decltype(auto) erasable(Handler&& h, const executor_type& own) {
    using handler_type = std::decay_t<Handler>;
    if constexpr (adapted<asio::associated_executor_t<handler_type>>)
      return adapted_handler<handler_type>{std::forward<Handler>(h), std::get<0>(own)};
    else
      return std::forward<Handler>(h);
  }

  template <class Executor>
  static auto erased(const Executor& found) {
    if constexpr (io_executor<Executor>)
      return any_io_executor_of(found);
    else
      return asio::any_completion_executor(found);
  }

  static bool is_elsewhere(const executor_type& own, const asio::any_io_executor& fallback) {
    const auto* const found = std::get_if<asio::any_io_executor>(&own);
    if (!found) return false;
    // The query would make the context of the system executor, and start its threads.
    if (fallback.target<asio::system_executor>()) return !found->target<asio::system_executor>();
    return &asio::query(*found, asio::execution::context) !=
           &asio::query(fallback, asio::execution::context);
  }
};

/// An initiation: erases the type of the handler, and passes it to a function of the library.
/// `asio::cancel_after` of newer Boost releases uses its associated executor.
template <class Signature, class Start>
struct initiation {
  using executor_type = asio::any_io_executor;

  executor_type get_executor() const noexcept { return executor; }

  template <class Handler>
  void operator()(Handler&& h) {
    start(handler<Signature>(std::forward<Handler>(h), executor));
  }

  asio::any_io_executor executor;
  Start start;
};

template <class Signature, class CompletionToken, class Start>
auto initiate(CompletionToken&& token, asio::any_io_executor executor, Start start) {
  using own = std::decay_t<CompletionToken>;
  constexpr bool is_executor =
      accepted<asio::associated_executor_t<own>> && accepted_immediate<own>;
  static_assert(is_executor, "zklock: the handler's executor is none that Asio accepts");
  if constexpr (is_executor)
    return asio::async_initiate<CompletionToken, Signature>(
        initiation<Signature, Start>{std::move(executor), std::move(start)}, token);
}

} // namespace detail
} // namespace zklock

#pragma once

#include <boost/asio/any_completion_executor.hpp>
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/associator.hpp>
#include <boost/asio/execution/blocking.hpp>
#include <boost/asio/execution/context.hpp>
#include <boost/asio/execution/outstanding_work.hpp>
#include <boost/asio/execution_context.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/prefer.hpp>
#include <boost/asio/query.hpp>
#include <boost/asio/require.hpp>

#include <concepts>
#include <memory>
#include <optional>
#include <utility>

namespace zklock::detail {

namespace asio = boost::asio;

/// An executor of the Networking TS, such as `io_context::strand`.
template <class T>
concept ts_executor = requires(const T& executor, void (*function)(),
                               const std::allocator<void>& allocator) {
  { executor.context() } -> std::convertible_to<asio::execution_context&>;
  executor.on_work_started();
  executor.on_work_finished();
  executor.dispatch(function, allocator);
  executor.post(function, allocator);
};

/// An executor of the Networking TS with the interface that `any_io_executor` takes.
template <ts_executor Executor>
class adapted_executor {
 public:
  explicit adapted_executor(const Executor& executor) noexcept : executor_(executor) {}
  adapted_executor(const adapted_executor&) noexcept = default;

  template <class Function>
  void execute(Function&& function) const {
    if (posts_)
      executor_.post(std::forward<Function>(function), std::allocator<void>());
    else
      executor_.dispatch(std::forward<Function>(function), std::allocator<void>());
  }

  asio::execution_context& query(asio::execution::context_t) const noexcept {
    return executor_.context();
  }

  adapted_executor require(asio::execution::blocking_t::possibly_t) const { return with(false); }
  adapted_executor require(asio::execution::blocking_t::never_t) const { return with(true); }

  adapted_executor require(asio::execution::outstanding_work_t::untracked_t) const {
    adapted_executor result(executor_);
    result.posts_ = posts_;
    return result;
  }
  adapted_executor require(asio::execution::outstanding_work_t::tracked_t) const {
    adapted_executor result(*this);
    if (!result.work_) result.work_.emplace(executor_);
    return result;
  }

  friend bool operator==(const adapted_executor& a, const adapted_executor& b) noexcept {
    return a.executor_ == b.executor_ && a.posts_ == b.posts_;
  }
  friend bool operator!=(const adapted_executor& a, const adapted_executor& b) noexcept {
    return !(a == b);
  }

 private:
  adapted_executor with(bool posts) const {
    adapted_executor result(*this);
    result.posts_ = posts;
    return result;
  }

  Executor executor_;
  bool posts_ = false;
  std::optional<asio::executor_work_guard<Executor>> work_;
};

/// An executor without an execution context, with the interface that `any_io_executor` takes. Uses
/// the context of the client, and its outstanding work.
template <class Executor>
class contextless_executor {
 public:
  contextless_executor(const Executor& executor, const asio::any_io_executor& client)
      : executor_(executor), client_(asio::require(client, asio::execution::blocking.never)) {}

  template <class Function>
  void execute(Function&& function) const {
    if (!posts_) return executor_.execute(std::forward<Function>(function));
    // The executor may run functions at once.
    client_.execute([executor = executor_, posted = std::forward<Function>(function)]() mutable {
      executor.execute(std::move(posted));
    });
  }

  asio::execution_context& query(asio::execution::context_t) const noexcept {
    return asio::query(client_, asio::execution::context);
  }

  contextless_executor require(asio::execution::blocking_t::possibly_t) const {
    return with(client_, false);
  }
  contextless_executor require(asio::execution::blocking_t::never_t) const {
    return with(client_, true);
  }

  template <class Work>
  requires std::convertible_to<Work, asio::execution::outstanding_work_t>
      contextless_executor require(Work work)
  const { return with(asio::prefer(client_, work), posts_); }

  friend bool operator==(const contextless_executor& a, const contextless_executor& b) noexcept {
    return a.executor_ == b.executor_ && a.client_ == b.client_ && a.posts_ == b.posts_;
  }
  friend bool operator!=(const contextless_executor& a, const contextless_executor& b) noexcept {
    return !(a == b);
  }

 private:
  contextless_executor with(const asio::any_io_executor& client, bool posts) const {
    contextless_executor result(*this);
    result.client_ = client;
    result.posts_ = posts;
    return result;
  }

  Executor executor_;
  asio::any_io_executor client_;
  bool posts_ = false;
};

/// Whether an executor must be adapted to become an `any_io_executor`.
template <class T>
concept adapted = !std::convertible_to<const T&, asio::any_io_executor> && ts_executor<T>;

/// Whether an executor can become an `any_io_executor` that keeps its execution context.
template <class T>
concept io_executor = std::convertible_to<const T&, asio::any_io_executor> || adapted<T>;

/// Whether a handler may have the executor.
template <class T>
concept accepted = io_executor<T> || std::convertible_to<const T&, asio::any_completion_executor>;

template <io_executor Executor>
asio::any_io_executor any_io_executor_of(const Executor& executor) {
  if constexpr (adapted<Executor>)
    return adapted_executor<Executor>(executor);
  else
    return executor;
}

/// A handler whose executor is adapted. `bind_executor` cannot bind an executor twice to a handler.
template <class Handler>
struct adapted_handler {
  using executor_type = asio::any_io_executor;

  executor_type get_executor() const noexcept { return executor; }

  template <class... Args>
  void operator()(Args&&... args) {
    std::move(function)(std::forward<Args>(args)...);
  }

  Handler function;
  executor_type executor;
};

} // namespace zklock::detail

/// The handler's cancellation slot and allocator are kept.
template <template <class, class> class Associator, class Handler, class Default>
struct boost::asio::associator<Associator, zklock::detail::adapted_handler<Handler>, Default>
    : Associator<Handler, Default> {
  template <class... Defaults>
  static decltype(auto) get(const zklock::detail::adapted_handler<Handler>& handler,
                            const Defaults&... defaults) noexcept {
    return Associator<Handler, Default>::get(handler.function, defaults...);
  }
};

#pragma once

#include <zklock/detail/initiation.hpp>

#include "client/context_guard.hpp"
#include "support/recycled_memory.hpp"
#include "zookeeper/strand.hpp"

#include <boost/asio/append.hpp>
#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/execution/blocking.hpp>
#include <boost/asio/execution/context.hpp>
#include <boost/asio/execution/outstanding_work.hpp>
#include <boost/asio/prefer.hpp>
#include <boost/asio/query.hpp>
#include <boost/asio/require.hpp>

#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

namespace zklock::detail {

/// Makes an object in memory that the thread recycles.
template <class T, class... Args>
std::shared_ptr<T> make_recycled(Args&&... args) {
  return std::allocate_shared<T>(recycling_allocator<T>(), std::forward<Args>(args)...);
}

inline asio::any_io_executor never_blocking(const asio::any_io_executor& executor) {
  return asio::require(executor, asio::execution::blocking.never);
}

/// A function that ends an operation: calls the handler on the handler's own executor. `at_home`:
/// whether the function is posted to that executor.
template <class... Args>
class completion {
 public:
  completion(handler<void(Args...)> done, bool at_home, Args... results)
      : done_(std::move(done)), at_home_(at_home), results_(std::move(results)...) {}

  void operator()() {
    std::visit(
        [this](auto& work) {
          if (at_home_) return call(done_.function, work, results_);
          work.execute(
              [function = std::move(done_.function), work,
               results = std::move(results_)]() mutable { call(function, work, results); });
        },
        done_.executor);
  }

 private:
  template <class Function, class Work, class Results>
  static void call(Function& function, Work& work, Results& results) {
    // The slot belongs to the handler's executor: it must not be touched on the strand.
    if (auto slot = function.get_cancellation_slot(); slot.is_connected()) slot.clear();
    work = nullptr;
    std::apply(std::move(function), std::move(results));
  }

  handler<void(Args...)> done_;
  bool at_home_;
  std::tuple<Args...> results_;
};

/// The handlers of this thread that run inside the function that has started their operation: each
/// may start the operation of the next. Asio resumes a coroutine inside the call that suspends it,
/// so that each such handler makes the stack grow.
class nested_handler {
 public:
  nested_handler() noexcept { ++count_; }
  ~nested_handler() { --count_; }
  nested_handler(const nested_handler&) = delete;
  nested_handler& operator=(const nested_handler&) = delete;

  /// Whether a further handler may run inside: otherwise it is posted.
  static bool may_nest() noexcept { return count_ < most; }

 private:
  static constexpr int most = 16;
  inline static constinit thread_local int count_ = 0;
};

/// Ends an operation by an executor that never blocks.
template <class... Args>
void end_by(const asio::any_io_executor& by, handler<void(Args...)>&& done, bool at_home,
            std::type_identity_t<Args>&&... results) {
  // Asio moves a function several times, and a handler is costly to move.
  auto ending = make_recycled<completion<Args...>>(std::move(done), at_home, std::move(results)...);
  by.execute([ending = std::move(ending)]() mutable {
    // The memory is freed first, so that the next operation, which the handler starts, reuses it.
    auto last = std::move(*ending);
    ending = nullptr;
    last();
  });
}

/// Ends an operation whose handler is elsewhere. The handler may be the last work of its context,
/// which the program may then destroy while this thread still uses the executor: the destruction
/// waits.
template <class... Args>
void end_elsewhere(handler<void(Args...)>&& done, std::type_identity_t<Args>&&... results) {
  const auto& executor = std::get<asio::any_io_executor>(done.executor);
  const auto guard = context_guard::of(asio::query(executor, asio::execution::context));
  const auto inside = guard->enter();
  end_by(never_blocking(executor), std::move(done), true, std::move(results)...);
}

/// Ends an operation whose client's execution context is gone: completes it if the handler has an
/// executor of another context, and otherwise destroys the handler without calling it.
template <class... Args>
void end_without_context(handler<void(Args...)> done,
                         std::type_identity_t<Args>... results) noexcept {
  if (done.elsewhere && done.function) end_elsewhere(std::move(done), std::move(results)...);
}

/// Calls a function with the results of an operation that ends with `errc::closed`: as the error,
/// or as the reason for which a hold is lost. Does nothing if the results do not begin with an
/// error.
template <class First, class... Others, class Function>
void with_closed(Function&& function) {
  if constexpr (std::is_same_v<std::tuple<First, Others...>, std::tuple<error_code, error_code>>)
    function(error_code(), error_code(errc::closed));
  else if constexpr (std::is_same_v<First, error_code>)
    function(error_code(errc::closed), Others()...);
}

/// Ends an operation whose client's execution context is gone with `errc::closed`.
template <class First, class... Others>
void end_without_context(handler<void(First, Others...)> done) noexcept {
  with_closed<First, Others...>(
      [&](auto... results) { end_without_context(std::move(done), std::move(results)...); });
}

/// The handler of an operation that is under way. The handler counts as outstanding work of its
/// executor, whose context must exist. The handler is always posted, never called by the code that
/// completes the operation, except by its immediate executor. A pending handler can be neither
/// moved nor assigned: moving an any_completion_handler by assignment recurses without end in
/// Boost 1.81 (fixed in 1.82).
template <class... Args>
class pending_handler {
 public:
  using handler_type = handler<void(Args...)>;

  /// The handler is posted to `home`, unless its executor is elsewhere.
  pending_handler(handler_type handler, const asio::any_io_executor& home)
      : handler_(std::move(handler)) {
    const auto* const found = std::get_if<asio::any_io_executor>(&handler_.executor);
    at_home_ = handler_.elsewhere || (found && *found == home);
    std::visit(
        [](auto& work) { work = asio::prefer(work, asio::execution::outstanding_work.tracked); },
        handler_.executor);
  }

  /// An operation that is destroyed before it ends was on its way to a strand that is gone.
  ~pending_handler() {
    if (pending()) end_without_context(std::move(handler_));
  }

  pending_handler(const pending_handler&) = delete;
  pending_handler& operator=(const pending_handler&) = delete;

  asio::cancellation_slot slot() const noexcept {
    return handler_.function.get_cancellation_slot();
  }

  /// Whether the operation can be completed after the client's execution context is gone.
  bool elsewhere() const noexcept { return handler_.elsewhere; }

  bool pending() const noexcept { return static_cast<bool>(handler_.function); }

  /// Whether `complete_at_once` may be called.
  bool is_immediate() const noexcept {
    return handler_.immediate.get() != nullptr && nested_handler::may_nest();
  }

  /// Completes the operation inside the function that starts it: dispatches to the handler's
  /// immediate executor, as operations of Asio do. Throws if the handler runs and throws.
  void complete_at_once(Args... args) {
    auto done = std::move(handler_);
    const nested_handler here;
    asio::dispatch(*done.immediate.get(),
                   asio::append(std::move(done.function), std::move(args)...));
  }

  /// Completes the operation: posts to the handler's executor if it belongs to another context than
  /// the client's, and otherwise to `home`, which never blocks, since the handler's may not exist
  /// any more. Only the first call has an effect.
  void post_by(const asio::any_io_executor& home, Args... args) {
    if (!pending()) return;
    if (handler_.elsewhere) return end_elsewhere(std::move(handler_), std::move(args)...);
    // Takes the handler and the results only if it returns true.
    if (!zookeeper::strand::run_last<completion<Args...>>(home, std::move(handler_), at_home_,
                                                          std::move(args)...))
      end_by(home, std::move(handler_), at_home_, std::move(args)...);
  }

  /// The execution context of the client is gone. Only the first call has an effect.
  void drop() noexcept {
    if (pending()) end_without_context(std::move(handler_));
    handler_.function = nullptr;
    std::visit([](auto& work) { work = nullptr; }, handler_.executor);
  }

 private:
  handler_type handler_;
  bool at_home_;
};

/// A pending handler together with the executor by which it is posted.
template <class... Args>
class stored_handler : public pending_handler<Args...> {
 public:
  stored_handler(typename pending_handler<Args...>::handler_type handler,
                 const asio::any_io_executor& fallback)
      : pending_handler<Args...>(std::move(handler), fallback), home_(never_blocking(fallback)) {}

  void post(Args... args) { this->post_by(home_, std::move(args)...); }

 private:
  const asio::any_io_executor home_;
};

template <class... Args>
using operation = std::shared_ptr<stored_handler<Args...>>;

/// Calls a function with the target when the slot's operation is cancelled, if the target still
/// exists then: the coroutine that waits for an operation may own the slot, so the slot must not
/// own the operation. To be called on the initiating thread, to which the slot belongs; the
/// function is called on the thread that cancels.
template <class Target, class Function>
void on_cancellation(asio::cancellation_slot slot, const std::shared_ptr<Target>& target,
                     Function function) {
  if (!slot.is_connected()) return;
  slot.assign(
      [weak = std::weak_ptr(target), function = std::move(function)](asio::cancellation_type type) {
        if (type == asio::cancellation_type::none) return;
        if (const auto found = weak.lock()) function(found, type);
      });
}

} // namespace zklock::detail

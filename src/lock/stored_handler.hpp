#pragma once

#include <zklock/detail/initiation.hpp>

#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/execution/outstanding_work.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/prefer.hpp>
#include <boost/asio/recycling_allocator.hpp>

#include <memory>
#include <tuple>
#include <utility>
#include <variant>

namespace zklock::detail {

/// The handler of an operation that is under way. Its executor, whose context must exist, is kept
/// busy. It is always posted, so that nobody who completes an operation runs a stranger's code.
///
/// It can be neither moved nor assigned: moving an any_completion_handler by assignment recurses
/// without end in Boost 1.81 (fixed in 1.82).
template <class... Args>
class pending_handler {
 public:
  using handler_type = handler<void(Args...)>;

  explicit pending_handler(handler_type handler) : handler_(std::move(handler)) {
    std::visit(
        [](auto& work) { work = asio::prefer(work, asio::execution::outstanding_work.tracked); },
        handler_.executor);
  }

  pending_handler(const pending_handler&) = delete;
  pending_handler& operator=(const pending_handler&) = delete;

  asio::cancellation_slot slot() const noexcept {
    return handler_.function.get_cancellation_slot();
  }

  bool pending() const noexcept { return static_cast<bool>(handler_.function); }

  /// Completes the operation by way of an executor that can be posted to, as the handler's may not
  /// be. Only the first call does something.
  void post_by(const asio::any_io_executor& executor, Args... args) {
    if (!pending()) return;
    asio::post(executor, [done = std::move(handler_),
                          values = std::tuple<Args...>(std::move(args)...)]() mutable {
      std::visit(
          [&](auto& work) {
            work.execute(
                [function = std::move(done.function), work, values = std::move(values)]() mutable {
                  // The slot belongs to whoever runs the handler: it must not be touched on our
                  // strand.
                  if (auto slot = function.get_cancellation_slot(); slot.is_connected())
                    slot.clear();
                  work = nullptr;
                  std::apply(std::move(function), std::move(values));
                });
          },
          done.executor);
    });
  }

  /// Destroys the handler without calling it.
  void drop() noexcept {
    handler_.function = nullptr;
    std::visit([](auto& work) { work = nullptr; }, handler_.executor);
  }

 private:
  handler_type handler_;
};

/// One that also knows how to be posted.
template <class... Args>
class stored_handler : public pending_handler<Args...> {
 public:
  stored_handler(typename pending_handler<Args...>::handler_type handler,
                 const asio::any_io_executor& fallback)
      : pending_handler<Args...>(std::move(handler)), fallback_(fallback) {}

  void post(Args... args) { this->post_by(fallback_, std::move(args)...); }

 private:
  const asio::any_io_executor fallback_;
};

template <class... Args>
using operation = std::shared_ptr<stored_handler<Args...>>;

/// Makes an operation, or a claim, in memory that the thread uses again and again.
template <class T, class... Args>
std::shared_ptr<T> make_recycled(Args&&... args) {
  return std::allocate_shared<T>(asio::recycling_allocator<T>(), std::forward<Args>(args)...);
}

} // namespace zklock::detail

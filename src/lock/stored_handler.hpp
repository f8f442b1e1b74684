#pragma once

#include <boost/asio/any_completion_executor.hpp>
#include <boost/asio/any_completion_handler.hpp>
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/execution/outstanding_work.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/prefer.hpp>

#include <memory>
#include <tuple>
#include <utility>

namespace zklock::detail {

namespace asio = boost::asio;

/// The handler of an operation that is under way. It keeps the handler's executor busy, and is
/// always posted, so that nobody who completes an operation runs a stranger's code.
///
/// It can be neither moved nor assigned: moving an any_completion_handler by assignment recurses
/// without end in Boost 1.81 (fixed in 1.82).
template <class... Args>
class pending_handler {
 public:
  using handler_type = asio::any_completion_handler<void(Args...)>;

  /// The handler's own executor counts, and `fallback` where it has none.
  pending_handler(handler_type handler, const asio::any_io_executor& fallback)
      : handler_(std::move(handler)),
        executor_(asio::prefer(asio::get_associated_executor(handler_, fallback),
                               asio::execution::outstanding_work.tracked)) {}

  pending_handler(const pending_handler&) = delete;
  pending_handler& operator=(const pending_handler&) = delete;

  asio::cancellation_slot slot() const noexcept { return handler_.get_cancellation_slot(); }

  bool pending() const noexcept { return static_cast<bool>(handler_); }

  /// Completes the operation by way of an executor that can be posted to, as the handler's cannot.
  /// Only the first call does something.
  void post_by(const asio::any_io_executor& executor, Args... args) {
    if (!pending()) return;
    asio::post(executor, [handler = std::move(handler_), work = std::move(executor_),
                          values = std::tuple<Args...>(std::move(args)...)]() mutable {
      work.execute([handler = std::move(handler), work, values = std::move(values)]() mutable {
        // The slot belongs to whoever runs the handler: it must not be touched on our strand.
        if (auto slot = handler.get_cancellation_slot(); slot.is_connected()) slot.clear();
        work = nullptr;
        std::apply(std::move(handler), std::move(values));
      });
    });
  }

  /// Destroys the handler without calling it.
  void drop() noexcept {
    handler_ = nullptr;
    executor_ = nullptr;
  }

 private:
  handler_type handler_;
  asio::any_completion_executor executor_;
};

/// One that also knows how to be posted.
template <class... Args>
class stored_handler : public pending_handler<Args...> {
 public:
  stored_handler(typename pending_handler<Args...>::handler_type handler,
                 const asio::any_io_executor& fallback)
      : pending_handler<Args...>(std::move(handler), fallback), fallback_(fallback) {}

  void post(Args... args) { this->post_by(fallback_, std::move(args)...); }

 private:
  const asio::any_io_executor fallback_;
};

template <class... Args>
using operation = std::shared_ptr<stored_handler<Args...>>;

} // namespace zklock::detail

#pragma once

#include <boost/asio/any_completion_executor.hpp>
#include <boost/asio/any_completion_handler.hpp>
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>

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
class stored_handler {
 public:
  using handler_type = asio::any_completion_handler<void(Args...)>;

  stored_handler(handler_type handler, const asio::any_io_executor& fallback)
      : handler_(std::move(handler)),
        fallback_(fallback),
        work_(asio::get_associated_executor(handler_, fallback)) {}

  stored_handler(const stored_handler&) = delete;
  stored_handler& operator=(const stored_handler&) = delete;

  asio::cancellation_slot slot() const noexcept { return handler_.get_cancellation_slot(); }

  bool pending() const noexcept { return static_cast<bool>(handler_); }

  /// Completes the operation. Only the first call does something.
  void post(Args... args) {
    if (!pending()) return;
    // By way of our own executor, since an any_completion_executor cannot be posted to.
    asio::post(fallback_, [handler = std::move(handler_), work = std::move(work_),
                           values = std::tuple<Args...>(std::move(args)...)]() mutable {
      auto executor = work.get_executor();
      executor.execute([handler = std::move(handler), work = std::move(work),
                        values = std::move(values)]() mutable {
        // The slot belongs to whoever runs the handler: it must not be touched on our strand.
        if (auto slot = handler.get_cancellation_slot(); slot.is_connected()) slot.clear();
        work.reset();
        std::apply(std::move(handler), std::move(values));
      });
    });
  }

  /// Destroys the handler without calling it.
  void drop() noexcept {
    handler_ = nullptr;
    work_.reset();
  }

 private:
  handler_type handler_;
  const asio::any_io_executor fallback_;
  asio::executor_work_guard<asio::any_completion_executor> work_;
};

template <class... Args>
using operation = std::shared_ptr<stored_handler<Args...>>;

} // namespace zklock::detail

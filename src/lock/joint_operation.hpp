#pragma once

#include "client/operation.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/strand.hpp>

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace zklock::detail {

/// An operation composed of others, possibly of several clients. It runs on a strand of its own.
/// The handlers of its parts own it: it lives as long as one of them is under way.
template <class... Args>
class joint_operation : public std::enable_shared_from_this<joint_operation<Args...>> {
 public:
  joint_operation(const joint_operation&) = delete;
  joint_operation& operator=(const joint_operation&) = delete;
  virtual ~joint_operation() = default;

  void start() {
    try {
      on_cancellation(outer_.slot(), this->shared_from_this(), [](const auto& self, auto) {
        asio::dispatch(self->strand_, [self] {
          self->cancelled_ = true;
          self->cancel_parts();
        });
      });
      asio::dispatch(strand_, [self = this->shared_from_this()] { self->begin(); });
    } catch (...) {
      outer_.disown();
      throw;
    }
  }

 protected:
  /// `parts`: how many parts may be under way at a time.
  joint_operation(const asio::any_io_executor& executor, handler<void(Args...)> outer,
                  std::size_t parts)
      : strand_(asio::make_strand(executor)), outer_(std::move(outer), executor), signals_(parts) {}

  /// Starts the first part or all of them.
  virtual void begin() = 0;

  /// Makes the handler of a part. It runs on the strand; cancelling the whole cancels the part.
  template <class Function>
  auto part(std::size_t which, Function function) {
    return asio::bind_cancellation_slot(signals_[which].slot(),
                                        asio::bind_executor(strand_, std::move(function)));
  }

  const asio::strand<asio::any_io_executor>& strand() const noexcept { return strand_; }

  /// Whether the whole operation was cancelled.
  bool cancelled() const noexcept { return cancelled_; }

  void cancel_parts() {
    for (auto& each : signals_)
      each.emit(asio::cancellation_type::terminal);
  }

  /// Completes the operation. Only the first call has an effect.
  void finish(Args... args) { outer_.post(std::move(args)...); }

 private:
  const asio::strand<asio::any_io_executor> strand_;
  stored_handler<Args...> outer_;
  std::vector<asio::cancellation_signal> signals_;
  bool cancelled_ = false;
};

} // namespace zklock::detail

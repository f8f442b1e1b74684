#pragma once

#include "client/context_guard.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/execution/blocking.hpp>
#include <boost/asio/execution/context.hpp>
#include <boost/asio/execution/outstanding_work.hpp>
#include <boost/asio/execution_context.hpp>

#include <memory>
#include <utility>

namespace zklock::detail {

/// The executor of a client: runs functions on an executor of the program, such as an
/// `asio::strand`, which must not outlive its execution context. A `client_executor` may outlive
/// it, and then destroys each function. Locks, holds and the frames of coroutines have copies.
class client_executor {
 public:
  /// Returns an executor that may outlive its context: `own` itself, if that is the executor of an
  /// `io_context`, of a `thread_pool` or of the system, and otherwise a `client_executor`.
  static boost::asio::any_io_executor of(const boost::asio::any_io_executor& own);

  template <class Function>
  void execute(Function&& function) const {
    const auto inside = shared_->guard->enter();
    if (!inside && shared_->guard->is_gone()) return;
    (never_ ? shared_->own->later : shared_->own->at_once)
        .execute(std::forward<Function>(function));
  }

  boost::asio::execution_context& query(boost::asio::execution::context_t) const noexcept {
    return *shared_->context;
  }
  boost::asio::execution::blocking_t query(boost::asio::execution::blocking_t) const noexcept;

  client_executor require(boost::asio::execution::blocking_t::never_t) const { return with(true); }
  client_executor require(boost::asio::execution::blocking_t::possibly_t) const {
    return with(false);
  }
  client_executor require(boost::asio::execution::outstanding_work_t::tracked_t) const;
  client_executor require(boost::asio::execution::outstanding_work_t::untracked_t) const {
    return {shared_, never_};
  }

  friend bool operator==(const client_executor& a, const client_executor& b) noexcept {
    return a.shared_ == b.shared_ && a.never_ == b.never_;
  }
  friend bool operator!=(const client_executor& a, const client_executor& b) noexcept {
    return !(a == b);
  }

 private:
  struct shared {
    shared(boost::asio::execution_context& of, context_guard::kept_executor executor);
    ~shared() { guard->drop(own); }
    shared(const shared&) = delete;
    shared& operator=(const shared&) = delete;

    boost::asio::execution_context* const context;
    const std::shared_ptr<context_guard> guard;
    const context_guard::place own;
  };

  client_executor(std::shared_ptr<const shared> state, bool never) noexcept
      : shared_(std::move(state)), never_(never) {}

  client_executor with(bool never) const {
    auto made = *this;
    made.never_ = never;
    return made;
  }

  std::shared_ptr<const shared> shared_;
  bool never_ = false;
  // Outstanding work of the context, which exists as long as an operation is pending.
  boost::asio::any_io_executor work_;
};

} // namespace zklock::detail

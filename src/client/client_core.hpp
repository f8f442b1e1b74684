#pragma once

#include <zklock/client_options.hpp>
#include <zklock/observer.hpp>

#include "client/context_gate.hpp"
#include "client/context_guard.hpp"
#include "client/dependents.hpp"
#include "zookeeper/server_list.hpp"
#include "zookeeper/strand.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/execution_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/intrusive/list.hpp>

#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

namespace zklock::detail {

/// Whether this thread runs a function of the user that the library has called in the middle of an
/// event.
inline thread_local bool in_call_of_user = false;

/// The scope of a call of a function of the user.
class in_call_of_user_scope {
 public:
  in_call_of_user_scope() noexcept : outer_(std::exchange(in_call_of_user, true)) {}
  ~in_call_of_user_scope() { in_call_of_user = outer_; }

  in_call_of_user_scope(const in_call_of_user_scope&) = delete;
  in_call_of_user_scope& operator=(const in_call_of_user_scope&) = delete;

 private:
  const bool outer_;
};

/// Calls a function of the user. An exception is rethrown from a handler of the client's execution
/// context: thrown through the strand, the exception would leave an event half processed.
template <class Function>
void call_user(const boost::asio::any_io_executor& executor, Function function) {
  const in_call_of_user_scope inside;
  try {
    function();
  } catch (...) {
    boost::asio::post(executor,
                      [thrown = std::current_exception()] { std::rethrow_exception(thrown); });
  }
}

/// The program's observer. Any thread.
///
/// Invariant: the mutex is a leaf, and the observer is never destroyed under it.
class shared_observer {
 public:
  explicit shared_observer(std::shared_ptr<observer> given) noexcept
      : is_given_(given != nullptr), observer_(std::move(given)) {}

  /// Null if there is none, and after `drop`.
  std::shared_ptr<observer> get() const {
    if (!is_given_) return nullptr;
    const std::lock_guard locked(mutex_);
    return observer_;
  }

  void drop() noexcept {
    std::shared_ptr<observer> dropped;
    const std::lock_guard locked(mutex_);
    dropped.swap(observer_);
  }

 private:
  const bool is_given_;
  mutable std::mutex mutex_;
  std::shared_ptr<observer> observer_;
};

class client_core;

/// A timer of a client's strand. Its function is called once, unless the timer is set anew or
/// cancelled, or the execution context or the client is gone by then. Used on the strand only.
class client_timer {
 public:
  using clock = boost::asio::steady_timer::clock_type;

  explicit client_timer(client_core& core);

  template <class Function>
  void call_at(clock::time_point when, Function function);
  void cancel() noexcept { timer_->cancel(); }

 private:
  friend class client_core;

  client_core& core_;
  // Gone with the execution context.
  std::optional<boost::asio::steady_timer> timer_;
  boost::intrusive::list_member_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>>
      hook_;
};

/// The base of all parts of a client: the executor and the strand, the gate of the execution
/// context, the options, and the calls of the program's functions. Knows no part. Invariant: once
/// the execution context is gone nothing is posted to it.
class client_core {
 public:
  client_core(const boost::asio::any_io_executor& executor, client_options options);

  /// Sets the client that owns the core, and that functions under way keep alive. To be called
  /// once, before all other functions.
  void belongs_to(std::weak_ptr<void> client) noexcept { client_ = std::move(client); }

  // Any thread.

  /// The client's executor, whose copies may outlive the execution context.
  const boost::asio::any_io_executor& executor() const noexcept { return executor_; }
  /// The executor with `blocking.never`: a function never runs inside the call that posts it.
  const boost::asio::any_io_executor& later() const noexcept { return later_; }
  boost::asio::execution_context& context() const noexcept;
  const client_options& options() const noexcept { return options_; }
  const zookeeper::server_list& servers() const noexcept { return servers_; }
  const std::string& chroot() const noexcept { return servers_.chroot; }
  /// The observer; null if there is none, and once the client is closed.
  std::shared_ptr<zklock::observer> observer() const { return observer_.get(); }
  const std::weak_ptr<void>& client() const noexcept { return client_; }

  const std::shared_ptr<context_gate>& gate() const noexcept { return gate_; }
  /// The guard of the execution context.
  const std::shared_ptr<context_guard>& guard() const noexcept { return guard_; }
  /// Whether the execution context is destroyed: nothing can be posted to it. Also true in the
  /// child of a fork, unless the context was notified.
  bool gone() const noexcept { return gate_->is_shut() || !gate_->is_current(); }
  /// Returns false if the execution context is gone. A thread of the context need not ask.
  context_gate::inside enter() const noexcept { return context_gate::inside(*gate_); }

  /// Operations that end with the execution context. Add an operation only while inside.
  detail::dependents& dependents() noexcept { return dependents_; }

  /// Runs a function on the strand, unless the execution context is gone.
  template <class Function>
  void run(Function function) {
    if (const auto here = enter()) run_inside(std::move(function));
  }
  /// The caller is inside. The function runs at once if possible, but never in the middle of an
  /// event of the strand. The caller is the program: no other function of the strand runs inside
  /// its call.
  template <class Function>
  void run_inside(Function function) {
    if (in_call_of_user) return post(std::move(function));
    strand().execute_alone(while_it_lives(std::move(function)));
  }
  /// Runs a function on the strand, but not inside this call. The caller is inside.
  template <class Function>
  void post(Function function) {
    boost::asio::post(strand(), while_it_lives(std::move(function)));
  }

  // The strand.

  const zookeeper::strand& strand() const noexcept { return *strand_; }

  /// Calls a function of the program; posts the function if the strand runs inside a call of the
  /// program.
  template <class Function>
  void call_program(Function function);
  void log(log_level level, std::string line);

  /// Drops the program's objects: the client is closed, or the execution context is gone.
  void drop_belongings() noexcept;
  /// The execution context is being destroyed.
  void drop_strand() noexcept;

 private:
  friend class client_timer;

  template <class Function>
  auto while_it_lives(Function function) {
    return [this, self = client_.lock(), function = std::move(function)]() mutable noexcept {
      if (!gone()) function();
    };
  }

  const boost::asio::any_io_executor executor_;
  const boost::asio::any_io_executor later_;
  // Without the observer.
  client_options options_;
  shared_observer observer_;
  const zookeeper::server_list servers_;
  const std::shared_ptr<context_gate> gate_ = std::make_shared<context_gate>();
  const std::shared_ptr<context_guard> guard_;
  detail::dependents dependents_;
  std::weak_ptr<void> client_;
  // Gone with the execution context.
  std::optional<zookeeper::strand> strand_;
  boost::intrusive::list<client_timer,
                         boost::intrusive::member_hook<client_timer, decltype(client_timer::hook_),
                                                       &client_timer::hook_>,
                         boost::intrusive::constant_time_size<false>>
      timers_;
};

template <class Function>
void client_core::call_program(Function function) {
  if (!strand_->running_alone()) return call_user(executor_, std::move(function));
  boost::asio::post(*strand_,
                    [this, self = client_.lock(), function = std::move(function)]() mutable {
                      call_user(executor_, std::move(function));
                    });
}

template <class Function>
void client_timer::call_at(clock::time_point when, Function function) {
  timer_->expires_at(when);
  timer_->async_wait(
      [&core = core_, weak = core_.client(), function = std::move(function)](error_code error) {
        const auto client = weak.lock();
        if (!error && client && !core.gate()->is_shut()) function();
      });
}

} // namespace zklock::detail

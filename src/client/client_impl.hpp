#pragma once

#include <zklock/acquire_options.hpp>
#include <zklock/client_options.hpp>
#include <zklock/connection_state.hpp>
#include <zklock/stats.hpp>

#include "client/acquisition.hpp"
#include "client/call_user.hpp"
#include "client/client_counters.hpp"
#include "client/client_locks.hpp"
#include "client/connection_check.hpp"
#include "client/context_gate.hpp"
#include "client/deadlines.hpp"
#include "client/dependents.hpp"
#include "client/lock_definitions.hpp"
#include "client/open_queries.hpp"
#include "client/session_checks.hpp"
#include "zookeeper/process.hpp"
#include "zookeeper/session.hpp"

#include <boost/asio/any_io_executor.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace zklock::detail {

class shutdown_service;

/// The implementation of a client: its lifetime, its strand and its session. The implementation
/// lives as long as the client, a lock, a hold or an operation refers to it.
///
/// All work runs on the client's strand. Functions that any thread may call are marked; they
/// dispatch to the strand. After the execution context is destroyed no function has an effect.
///
/// Invariant: a client that is over has no acquisitions and no queries, and none starts any more.
class client_impl final : public std::enable_shared_from_this<client_impl>,
                          public zookeeper::session_owner {
 public:
  /// Throws `system_error` for a bad option.
  static std::shared_ptr<client_impl> make(asio::any_io_executor executor, client_options options);
  ~client_impl();

  // Any thread.
  const asio::any_io_executor& get_executor() const noexcept { return executor_; }
  /// The executor with `blocking.never`: a function never runs inside the call that posts it.
  const asio::any_io_executor& later() const noexcept { return later_; }
  const std::string& chroot() const noexcept { return servers_.chroot; }
  const client_options& options() const noexcept { return options_; }
  /// Whether the execution context is destroyed: nothing can be posted to it. Also true in the
  /// child of a fork, unless the context was notified.
  bool gone() const noexcept { return gate_->is_shut() || !process_.is_current(); }

  /// While such an object is true, the execution context is not destroyed: functions can be posted
  /// to it.
  class inside {
   public:
    explicit inside(context_gate* gate) noexcept : gate_(gate && gate->enter() ? gate : nullptr) {}
    ~inside() {
      if (gate_) gate_->leave();
    }
    inside(const inside&) = delete;
    inside& operator=(const inside&) = delete;

    explicit operator bool() const noexcept { return gate_ != nullptr; }

   private:
    context_gate* const gate_;
  };
  /// Returns false if the execution context is gone. A thread of the context need not ask.
  inside enter() const noexcept { return inside(process_.is_current() ? gate_.get() : nullptr); }

  /// The observer; null if there is none, and once the client is closed.
  std::shared_ptr<zklock::observer> observer() const;

  /// Runs a function on the strand, unless the execution context is gone.
  template <class Function>
  void run(Function function);
  void acquire(const lock_request& wanted, const acquire_options& options,
               handler<acquire_signature> handler, std::shared_ptr<observation> observed,
               std::weak_ptr<reserved_room> room = {});
  /// Has a hold end on the strand, since an operation there waits for the end. Call it on the
  /// strand.
  void end_on_strand(acquisition& c) noexcept;
  void downgrade(std::shared_ptr<acquisition> c, operation<error_code> op);
  void release(std::shared_ptr<acquisition> c, operation<error_code> op);
  /// Releases a hold in the background.
  void give_back(std::shared_ptr<acquisition> c) noexcept;
  void wait_lost(std::shared_ptr<acquisition> c, operation<error_code, error_code> op);
  /// Has a timer expire when the hold is lost, or `acquisition::end_of_body` becomes earlier.
  void watch_body(std::shared_ptr<acquisition> c, std::weak_ptr<boot_timer> body);
  void drop_cached(operation<error_code> op);
  /// Reserves room in `client_options::owned_bytes` for several of its locks.
  void reserve(std::vector<lock_request> wanted, std::uint64_t owner,
               std::chrono::nanoseconds timeout, handler<room_signature> handler);
  void close(operation<error_code> op);
  connection_state state() const noexcept {
    return process_.is_current() ? state_.load(std::memory_order_acquire)
                                 : connection_state::closed;
  }
  bool connected() const noexcept {
    const auto now = state();
    return now == connection_state::connected || now == connection_state::reconnected;
  }
  stats snapshot() const;
  std::size_t cached() const noexcept {
    const auto in_use = kept_in_use_.load(std::memory_order_relaxed);
    const auto kept = process_.is_current() ? locks_.cached().count() : 0;
    return kept > in_use ? kept - in_use : 0;
  }
  /// Count the cached entries that are held on the fast path, without the strand's knowledge.
  void kept_is_used() noexcept { kept_in_use_.fetch_add(1, std::memory_order_relaxed); }
  void kept_is_unused() noexcept { kept_in_use_.fetch_sub(1, std::memory_order_relaxed); }
  std::int64_t session_id() const noexcept { return session_id_.load(std::memory_order_acquire); }
  std::chrono::milliseconds session_timeout() const noexcept {
    return timeout_.load(std::memory_order_acquire);
  }
  boot_clock::time_point proven_until() const noexcept {
    return process_.is_current() ? checks_.until() : boot_clock::time_point::min();
  }
  /// Whether there is a connection, and the servers cannot have ended the session.
  bool proven_now() const noexcept { return connected() && boot_clock::now() < proven_until(); }
  /// Operations that end with the execution context. Add an operation only while inside.
  detail::dependents& dependents() noexcept { return dependents_; }

  /// The execution context is being destroyed: drops everything that uses it.
  void abandon() noexcept;

  /// The execution context was notified of a fork, in the child: closes the client here, without
  /// effect on the parent.
  void forked();

  // The parts of the client, on the strand.
  const zookeeper::strand& strand() const noexcept { return *strand_; }
  zookeeper::session& session() noexcept { return *session_; }
  session_checks& checks() noexcept { return checks_; }
  detail::deadlines& deadlines() noexcept { return deadlines_; }
  client_locks& locks() noexcept { return locks_; }
  open_queries& queries() noexcept { return queries_; }
  client_counters& counters() noexcept { return counters_; }
  /// Any thread.
  lock_definitions& definitions() noexcept { return definitions_; }

  // For the parts, on the strand.
  /// Calls a function of the program; posts the function if the strand runs inside a call of the
  /// program.
  template <class Function>
  void call_program(Function function);
  void log(log_level level, std::string line);
  /// Whether the client is closed, or failed for good.
  bool is_over() const noexcept { return over_.has_value(); }
  std::optional<errc> why_over() const noexcept { return over_; }
  /// Calls a function on the strand once a timer expires, unless the timer is cancelled or the
  /// execution context is gone by then.
  template <class Timer, class Function>
  void when_expired(Timer& timer, Function function);
  /// Ephemeral nodes that are no entries are being created.
  void ephemerals_made() noexcept { made_ephemerals_ = true; }
  /// The servers may have refused a part of the check of the connection.
  void repeat_connection_check() { connection_check_.repeat(); }
  /// Ends an acquisition that waits.
  void give_up(acquisition& c, error_code why);

 private:
  client_impl(asio::any_io_executor executor, client_options options);

  static void destroy(client_impl* client) noexcept;
  void drop_belongings() noexcept;
  template <class Function>
  void run_inside(Function function);

  template <class Operation>
  void connect_slot(const std::shared_ptr<acquisition>& c, const Operation& op);

  void begin(const std::shared_ptr<acquisition>& c, std::chrono::nanoseconds timeout) noexcept;
  void look(const std::shared_ptr<const lock_definition>& lock);
  bool end_fast(acquisition& c);
  void take_back(acquisition& c, const operation<error_code>& op);

  std::vector<std::shared_ptr<acquisition>> fail_all(errc why);
  void start_close(operation<error_code> op);
  bool owns_nodes() const noexcept;
  void tell_state();

  void on_connected(bool is_new, std::chrono::milliseconds timeout) noexcept override;
  void on_disconnected() noexcept override;
  void on_expired(errc why) noexcept override;
  void on_rolled_back() noexcept override { counters_.data_rollbacks.add(); }
  void on_failed(errc why) noexcept override;
  void on_watch(std::string_view path, zookeeper::watch_event event) noexcept override;
  void on_request() noexcept override { counters_.requests.add(); }

  const asio::any_io_executor executor_;
  const asio::any_io_executor later_;
  // `observer_mutex_` protects the observer, which any thread may ask for.
  client_options options_;
  const bool has_observer_;
  mutable std::mutex observer_mutex_;
  zookeeper::server_list servers_;
  shutdown_service& service_;
  zookeeper::process_mark process_;
  const std::shared_ptr<context_gate> gate_ = std::make_shared<context_gate>();
  std::atomic<connection_state> state_{connection_state::connecting};
  // The state that the observer was told last.
  connection_state told_state_ = connection_state::connecting;
  client_counters counters_;
  // Declared before the locks, which refer to their definitions.
  lock_definitions definitions_;
  std::atomic<std::size_t> kept_in_use_{0};
  detail::dependents dependents_;
  std::atomic<std::int64_t> session_id_{0};
  std::atomic<std::chrono::milliseconds> timeout_;

  // Gone with the execution context.
  std::optional<zookeeper::strand> strand_;
  std::shared_ptr<zookeeper::session> session_;
  connection_check connection_check_{*this};
  session_checks checks_;
  detail::deadlines deadlines_{*this};

  client_locks locks_{*this};
  open_queries queries_{*this};
  std::optional<errc> over_;
  operation<error_code>::weak_type closing_;
  // Acquisitions whose releases complete when the session is closed.
  std::vector<std::shared_ptr<acquisition>> ending_;
  /// Whether commits created ephemeral nodes in this session, which no queue knows of.
  bool made_ephemerals_ = false;
  /// Whether a session that the client gave up may own nodes.
  bool left_behind_ = false;
};

template <class Timer, class Function>
void client_impl::when_expired(Timer& timer, Function function) {
  timer.async_wait([weak = weak_from_this(), function = std::move(function)](error_code error) {
    const auto self = weak.lock();
    if (!error && self && !self->gate_->is_shut()) function();
  });
}

template <class Function>
void client_impl::run(Function function) {
  if (const auto here = enter()) run_inside(std::move(function));
}

template <class Function>
void client_impl::run_inside(Function function) {
  run_on(*strand_, [self = shared_from_this(), function = std::move(function)]() mutable noexcept {
    if (self->gone()) return;
    function();
  });
}

template <class Function>
void client_impl::call_program(Function function) {
  if (!strand_->running_alone()) return call_user(executor_, std::move(function));
  asio::post(*strand_, [self = shared_from_this(), function = std::move(function)]() mutable {
    call_user(self->executor_, std::move(function));
  });
}

} // namespace zklock::detail

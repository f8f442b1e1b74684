#pragma once

#include <zklock/acquire_options.hpp>
#include <zklock/client_options.hpp>

#include "client/acquisition.hpp"
#include "client/connection_check.hpp"
#include "client/deadlines.hpp"
#include "client/doubt_watch.hpp"
#include "client/idle_locks.hpp"
#include "client/lock_in_use.hpp"
#include "client/lock_table.hpp"
#include "client/requester.hpp"
#include "client/returned_holds.hpp"
#include "client/session_checks.hpp"
#include "client/unused_directories.hpp"
#include "client/watch_registry.hpp"
#include "inspect/open_queries.hpp"
#include "queue/budget_waiters.hpp"
#include "queue/node_budget.hpp"
#include "zookeeper/process.hpp"
#include "zookeeper/session.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/intrusive/list.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <memory>
#include <memory_resource>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace zklock::detail {

class shutdown_service;

/// The implementation of a client: its session, its strand, and the locks in use. It lives as long
/// as the client, a lock, a hold or an operation refers to it.
///
/// All work runs on one strand. Functions that any thread may call are marked; they dispatch to the
/// strand. After the execution context is destroyed no function has an effect.
class client_impl final : public std::enable_shared_from_this<client_impl>,
                          public zookeeper::session_owner,
                          public requester {
 public:
  /// Throws `system_error` for a bad option.
  static std::shared_ptr<client_impl> make(asio::any_io_executor executor, client_options options);
  ~client_impl();

  // Any thread.
  const asio::any_io_executor& get_executor() const noexcept { return executor_; }
  const std::string& chroot() const noexcept { return chroot_; }
  const client_options& options() const noexcept { return options_; }
  /// Whether the execution context is destroyed: nothing can be posted to it. Also true in the
  /// child of a fork, unless the context was notified.
  bool gone() const noexcept {
    return gone_.load(std::memory_order_acquire) || !process_.is_current();
  }
  void acquire(const lock_request& wanted, const acquire_options& options,
               handler<acquire_signature> handler);
  void downgrade(std::shared_ptr<acquisition> c, operation<error_code> op);
  void release(std::shared_ptr<acquisition> c, operation<error_code> op);
  /// Gives back a hold in the background. Allocates nothing that it cannot do without: if there is
  /// no memory to wake the strand, the strand's next function gives the hold back.
  void give_back(std::shared_ptr<acquisition> c) noexcept;
  void wait_lost(std::shared_ptr<acquisition> c, operation<error_code, error_code> op);
  void when_unproven(std::shared_ptr<acquisition> c, operation<error_code> op);
  void close(operation<error_code> op);
  /// Closes the client at the next periodic check, where there is no memory to do it now.
  void close_later() noexcept { to_close_.store(true, std::memory_order_release); }
  bool connected() const noexcept {
    return connected_.load(std::memory_order_acquire) && process_.is_current();
  }
  std::int64_t session_id() const noexcept { return session_id_.load(std::memory_order_acquire); }
  std::chrono::milliseconds session_timeout() const noexcept {
    return timeout_.load(std::memory_order_acquire);
  }
  boot_clock::time_point proven_until() const noexcept {
    return process_.is_current() ? checks_.until() : boot_clock::time_point::min();
  }

  /// Starts a query, and fails it when the operation is cancelled.
  template <class Operation>
  void start_query(std::shared_ptr<query> started, const Operation& op);

  /// The execution context is being destroyed: drops everything that uses it.
  void abandon() noexcept;

  /// The execution context was notified of a fork, in the child: closes the client here, without
  /// effect on the parent.
  void forked();

  // For locks and queries, on the strand.
  const zookeeper::strand& strand() const noexcept { return *strand_; }
  std::chrono::milliseconds connect_timeout() const noexcept { return options_.connect_timeout; }
  errc trouble() const noexcept { return session_->connect_error(); }
  zookeeper::session& session() noexcept { return *session_; }
  void send(zookeeper::request what, zookeeper::receiver& to, zookeeper::request_tag tag) override;
  void remove_watch(const std::string& path, zookeeper::watch_kind kind) override {
    session_->remove_watch(path, kind);
  }
  void give_up_connection() noexcept override { session_->give_up_connection(); }
  queue::session_token token() const noexcept override { return token_; }
  queue::entry_id& last_entry() noexcept override { return last_entry_; }
  bool proven() noexcept override { return checks_.proven(); }
  void when_proven(lock_driver& waiting) override { checks_.when_proven(waiting); }
  watch_registry& watches() noexcept override { return watches_; }
  const std::string& identity() const noexcept override { return options_.identity; }
  bool containers() const noexcept override { return options_.parents == parent_kind::container; }
  void log_error(const std::string& line) override { log(log_level::error, line); }
  void log(log_level level, const std::string& line);
  /// Calls a function of the user. An exception is rethrown from a handler of the client's
  /// execution context: thrown through the strand, it would leave an event half processed.
  template <class Function>
  void call(Function function);
  session_checks& checks() noexcept { return checks_; }
  /// Whether the client is closed, or failed for good.
  bool is_over() const noexcept { return over_.has_value(); }
  /// Calls a function on the strand once a timer expires, unless the timer is cancelled or the
  /// execution context is gone by then.
  template <class Function>
  void when_expired(asio::steady_timer& timer, Function function);
  /// Ephemeral nodes that are no entries are being created.
  void ephemerals_made() noexcept { made_ephemerals_ = true; }
  /// An acquisition was granted: its hold limit, if any, starts now.
  void granted(acquisition& c);
  /// The queries under way.
  open_queries& queries() noexcept { return queries_; }
  /// A node of a lock was deleted: a hold of this client by that node is lost.
  void node_gone(const lock_definition& lock, std::string_view node);
  void missing(const lock_definition& lock, queue::entry_id entry, queue::form node);
  template <class Function>
  void for_each_lock(Function function) const {
    for (const auto& [line, place] : locks_)
      function(*place);
  }
  /// Whether any lock is held or waited for.
  bool uses_locks() const noexcept;
  /// Gives back the holds, and closes the client, for which there was no memory to wake the strand.
  /// Returns whether the client is closed.
  bool look_for_returned();
  /// Called after all that may prove the session or end a hold.
  void look_at_sharers();
  /// The deadline of an acquisition that waits has passed, or the time for which it may be held.
  void deadline_passed(acquisition& c);
  /// Called after each event of a lock.
  void settle(lock_in_use& d);

 private:
  using time_point = acquisition::time_point;

  client_impl(asio::any_io_executor executor, client_options options);
  void start();

  template <class Function>
  void run(Function function);
  template <class Operation>
  void connect_slot(const std::shared_ptr<acquisition>& c, const Operation& op);

  // acquiring.cpp
  void start(const std::shared_ptr<acquisition>& c, std::chrono::nanoseconds timeout,
             time_point called);
  error_code fault_of(const acquisition& c, std::chrono::nanoseconds timeout) const noexcept;
  void enter(const std::shared_ptr<acquisition>& c, lock_in_use& place);
  lock_in_use* directory_of(const std::shared_ptr<const lock_definition>& path);
  bool make_way(const lock_definition& path);

  // trying_again.cpp
  void try_again_later();
  void try_again();

  // sharing.cpp
  void serve_sharers();

  // timing.cpp
  void give_up(acquisition& c, error_code why);
  error_code out_of_time(const acquisition& c) const noexcept;

  // giving_back.cpp
  void wake() noexcept;
  void sweep() noexcept;
  void take_back(acquisition& c, const operation<error_code>& op);

  // client_impl.cpp
  std::vector<std::shared_ptr<acquisition>> fail_all(errc why);
  void start_close(operation<error_code> op);
  bool owns_nodes() const noexcept;

  // client_locks.cpp
  void forget(lock_in_use& d);
  void serve_starved();

  // session_events.cpp
  void on_connected(bool is_new, std::chrono::milliseconds timeout) noexcept override;
  void on_disconnected() noexcept override;
  void on_expired() noexcept override;
  void on_failed(errc why) noexcept override;
  void on_watch(std::string_view path, zookeeper::watch_event event) noexcept override;

  const asio::any_io_executor executor_;
  const client_options options_;
  std::string chroot_;
  shutdown_service& service_;
  zookeeper::process_mark process_;
  std::atomic<bool> gone_{false};
  std::atomic<bool> connected_{false};
  // What is to be done in the background, and whether the strand was woken for it.
  returned_holds returned_;
  std::atomic<bool> to_close_{false};
  std::atomic<bool> waking_{false};
  std::atomic<std::int64_t> session_id_{0};
  std::atomic<std::chrono::milliseconds> timeout_;

  // Gone with the execution context.
  std::optional<zookeeper::strand> strand_;
  std::optional<asio::steady_timer> again_timer_;
  std::shared_ptr<zookeeper::session> session_;
  connection_check connection_check_{*this};
  session_checks checks_;
  doubt_watch doubt_watch_{*this};
  deadlines deadlines_{*this};

  queue::session_token token_;
  queue::acquisition_id last_acquisition_ = 0;
  queue::entry_id last_entry_ = 0;
  queue::node_budget budget_;
  queue::budget_waiters<lock_driver> budget_line_{budget_};
  // Of all queues.
  std::pmr::unsynchronized_pool_resource memory_;
  // Acquisitions of owners that hold the lock already, until the session is proven again.
  std::vector<std::shared_ptr<acquisition>> sharers_;
  bool looking_at_sharers_ = false;
  lock_table locks_;
  watch_registry watches_;
  unused_directories unused_{*this};
  idle_locks idle_;
  open_queries queries_{*this};
  std::optional<errc> over_;
  operation<error_code>::weak_type closing_;
  /// Whether commits created ephemeral nodes in this session, which no queue knows of.
  bool made_ephemerals_ = false;
  /// Whether a session that the client gave up may own nodes.
  bool left_behind_ = false;
  bool serving_ = false;
  bool trying_again_ = false;
};

template <class Operation>
void client_impl::start_query(std::shared_ptr<query> started, const Operation& op) {
  on_cancellation(op->slot(), started, [self = weak_from_this()](const auto& found, auto) {
    if (const auto client = self.lock())
      client->run([found] { found->fail(asio::error::operation_aborted); });
  });
  run([this, started = std::move(started)] {
    if (over_)
      started->fail(*over_);
    else if (!started->is_over())
      queries_.start(started);
  });
}

template <class Function>
void client_impl::when_expired(asio::steady_timer& timer, Function function) {
  timer.async_wait([weak = weak_from_this(), function = std::move(function)](error_code error) {
    const auto self = weak.lock();
    if (!error && self && !self->gone_) function();
  });
}

template <class Function>
void client_impl::call(Function function) {
  try {
    function();
  } catch (...) {
    asio::post(executor_, [thrown = std::current_exception()] { std::rethrow_exception(thrown); });
  }
}

/// Runs a function on the strand, unless the execution context is gone. The program ends if memory
/// runs out inside: the state of the queues would be unknown.
template <class Function>
void client_impl::run(Function function) {
  if (gone()) return;
  asio::dispatch(*strand_,
                 [self = shared_from_this(), function = std::move(function)]() mutable noexcept {
                   if (self->gone()) return;
                   self->sweep();
                   function();
                 });
}

} // namespace zklock::detail

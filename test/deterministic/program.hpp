#pragma once

#include <zklock/any_lock.hpp>
#include <zklock/error.hpp>

#include "host.hpp"
#include "operation.hpp"
#include "world.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/bind_executor.hpp>

#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace deterministic {

/// An acquire of a program.
struct attempt {
  lock_use use;
  zklock::acquire_options options{};
  std::optional<std::chrono::nanoseconds> cancelled_after{};
  /// Where its lock was named before it is asked for: since then.
  std::optional<time_point> named{};
  /// Whether a function of the program is told the place in line.
  bool is_told = false;

  bool has_timeout() const noexcept {
    return options.timeout.left() != std::chrono::nanoseconds::max();
  }
  bool is_try() const noexcept {
    return options.timeout.left() == std::chrono::nanoseconds::zero();
  }
};

/// Counts a try while it is under way.
class counted_try {
 public:
  counted_try(world& world, const attempt& what) : world_(world), is_try_(what.is_try()) {
    world_.tries += is_try_;
  }
  ~counted_try() { world_.tries -= is_try_; }
  counted_try(const counted_try&) = delete;
  counted_try& operator=(const counted_try&) = delete;

 private:
  world& world_;
  const bool is_try_;
};

/// A program that uses locks in ways that the seed chooses, until the history is healed.
class program : public std::enable_shared_from_this<program> {
 public:
  program(world& world, host& of, std::size_t client, std::string name);

  const std::string& name() const noexcept { return name_; }

  asio::awaitable<void> run();
  /// Sets the limit so high that all acquisitions get their permits.
  asio::awaitable<void> raise_limit();

  /// Tries each lock that must be free.
  asio::awaitable<void> try_all();

 private:
  // The steps, each a use of locks.
  asio::awaitable<void> acquire_once();
  asio::awaitable<void> use_again(lock_use use);
  asio::awaitable<void> with_lock_once();
  asio::awaitable<void> lead();
  asio::awaitable<void> take_several();
  asio::awaitable<void> take_any();
  asio::awaitable<void> acquire_again();
  asio::awaitable<void> write_then_read();
  asio::awaitable<void> change_limit();
  asio::awaitable<void> set_limit(attempt what, std::size_t limit);
  asio::awaitable<void> look();
  asio::awaitable<void> follow_holder();
  asio::awaitable<void> disturb();

  asio::awaitable<void> step();
  /// Starts an operation on locks, and keeps its result beside its coroutine.
  asio::awaitable<void> leave_behind();

  // The parts of the steps.
  using acquire_operation =
      decltype(std::declval<zklock::any_lock&>().acquire(zklock::acquire_options()));
  asio::awaitable<zklock::hold> acquire(attempt what, zklock::error_code& error);
  asio::awaitable<zklock::hold> acquire(acquire_operation operation, attempt what,
                                        zklock::error_code& error);
  asio::awaitable<zklock::hold> acquire(zklock::any_lock lock, attempt what,
                                        zklock::error_code& error);
  /// Keeps a hold for a while, or until it is lost. `expects_identity`: checks first that the entry
  /// has the identity of the use.
  asio::awaitable<void> keep(const zklock::hold& held, lock_use use, bool expects_identity = false);
  asio::awaitable<void> expect_loss(const zklock::hold& held);
  /// Gives a hold another identity.
  asio::awaitable<void> rename(const zklock::hold& held);
  asio::awaitable<void> expect_identity(const zklock::hold& held, std::string identity,
                                        time_point asked);
  std::string any_identity();
  /// Gives an acquire an identity of its own, if the design has identities.
  void give_identity(lock_use& use);
  /// The course of a body.
  struct body_story {
    bool has_begun = false;
    /// It has released its hold, and gone on to its end.
    bool has_released = false;
  };
  /// `on`: the loop on which it runs, if that is not its client's.
  asio::awaitable<void> body_of(zklock::hold& held, lock_use use, const loop* on,
                                body_story& story);
  /// A body of the program, which outlives its coroutine where it runs on another loop.
  auto make_body(const lock_use& use, const loop* on, std::shared_ptr<body_story> story);
  asio::awaitable<void> commit(const zklock::hold& held, zklock::transaction writes);
  asio::awaitable<void> give_back(zklock::hold held);
  asio::awaitable<void> evict_cached();
  void listen(const zklock::hold& held);
  /// Makes operations on a hold that never begin.
  void drop_operations(zklock::hold& held);
  /// Now and then, keeps the process from running anything else.
  void perhaps_stall();
  /// Now and then, destroys the client: call it where an operation of it has just completed.
  void perhaps_destroy();

  /// Whether a careless program does something now, with such a chance.
  bool is_careless(std::size_t percent) {
    return world_.design.is_careless && !world_.healed && random_.chance(percent);
  }
  /// A loop of the process; null for the clients' loop.
  loop* any_loop();
  template <class Signature, class Operation, class Function>
  void start_on(loop* on, std::string what, Operation operation, Function function);

  zklock::client& client() const { return *host_.client(client_); }
  /// Whether it may begin a step.
  bool is_ready() const;
  /// The path of a node below the root, for its client.
  std::string path_of(std::string_view name) const;
  lock_use use_of(std::string_view name) const;
  /// For how long its holds are proven at least.
  std::chrono::nanoseconds always_ahead() const;
  lock_use any_use(bool with_permits = true);
  zklock::any_lock lock_of(const lock_use& use);
  /// The options with the identity and the function of an attempt, which they refer to.
  zklock::acquire_options options_of(const attempt& what) const noexcept;
  attempt any_attempt(lock_use use);
  limits limits_of(const attempt& what) const;
  std::chrono::nanoseconds about(std::chrono::milliseconds mean);
  /// Whether an acquire, or an operation on a hold, may end like this.
  void check(const zklock::error_code& error, const attempt& what);
  /// How many permits there is room for.
  std::int64_t most_permits() const;
  /// A server has refused the request.
  bool is_refused(const zklock::error_code& error);
  bool has_failed(const zklock::error_code& error) const noexcept;
  /// No server of use was connected in time.
  bool is_unreachable(const zklock::error_code& error) const noexcept;
  void check_looked(const zklock::error_code& error, bool is_cancelled);
  /// A stranger has seen nodes that an access list was to hide.
  void check_hidden(bool seen_some);
  void check_lost(const zklock::error_code& error, const attempt& what);
  void surprised(const std::string& where, const zklock::error_code& error);

  world& world_;
  host& host_;
  process& process_;
  const std::shared_ptr<deterministic::life> life_;
  const std::function<void(std::size_t)> place_told_;
  const std::size_t client_;
  const std::string name_;
  dice random_;
  std::size_t identities_ = 0;
};

template <class Signature, class Operation, class Function>
void program::start_on(loop* on, std::string what, Operation operation, Function function) {
  if (!on)
    return start_by<Signature>(life_, false, std::move(what), std::move(operation),
                               std::move(function));
  start_by<Signature>(life_, true, std::move(what), std::move(operation),
                      asio::bind_executor(on->context().get_executor(), std::move(function)));
  on->wake();
}

std::string what_of(const std::exception_ptr& thrown);

} // namespace deterministic

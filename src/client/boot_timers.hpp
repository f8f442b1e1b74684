#pragma once

#include "client/waiting_timer.hpp"
#include "zookeeper/process.hpp"

#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/asio/execution/context.hpp>
#include <boost/asio/posix/basic_stream_descriptor.hpp>
#include <boost/asio/wait_traits.hpp>
#include <boost/intrusive/set.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>

namespace zklock::detail {

/// The waiting timers of an execution context, with a descriptor for the earliest time. If no
/// descriptor can be made, an Asio timer polls the clock; the Asio timer stands still while the
/// machine is suspended.
///
/// Invariant: while a timer waits, a wait is under way that ends no later than the earliest time.
///
/// Thread safety: safe.
class boot_timers : public std::enable_shared_from_this<boot_timers> {
 public:
  /// Returns the timers of the context.
  static std::shared_ptr<boot_timers> of(boost::asio::execution_context& context);

  explicit boot_timers(boost::asio::execution_context& context);
  ~boot_timers();
  boot_timers(const boot_timers&) = delete;
  boot_timers& operator=(const boot_timers&) = delete;

  void set(waiting_timer& timer, boot_clock::time_point time);
  void remove(waiting_timer& timer) noexcept;

  /// The execution context is being destroyed.
  void stop() noexcept;

  /// The execution context was notified of a fork, in the child.
  void forked();

  const boost::asio::execution_context& context() const noexcept { return context_; }

 private:
  // Runs a function in the thread that completes an operation: no strand of the program may delay
  // the timers of its other strands.
  struct inline_executor {
    boost::asio::execution_context* context;

    boost::asio::execution_context& query(boost::asio::execution::context_t) const noexcept {
      return *context;
    }
    template <class Function>
    void execute(Function&& function) const {
      std::forward<Function>(function)();
    }
    bool operator==(const inline_executor&) const noexcept = default;
  };
  using steady_timer =
      boost::asio::basic_waitable_timer<std::chrono::steady_clock,
                                        boost::asio::wait_traits<std::chrono::steady_clock>,
                                        inline_executor>;

  // The I/O objects of the execution context.
  struct devices {
    explicit devices(const inline_executor& executor)
        : descriptor(executor), substitute(executor) {}

    void open();

    boost::asio::posix::basic_stream_descriptor<inline_executor> descriptor;
    steady_timer substitute;
  };

  struct earlier {
    bool operator()(const waiting_timer& a, const waiting_timer& b) const noexcept {
      return a.time_ < b.time_;
    }
  };
  using by_hook = boost::intrusive::member_hook<waiting_timer, decltype(waiting_timer::hook_),
                                                &waiting_timer::hook_>;

  void unlink(waiting_timer& timer) noexcept;
  void arm();
  void wait(boot_clock::time_point until);
  void cancel_wait() noexcept;
  void look(std::uint64_t wait);

  boost::asio::execution_context& context_;
  std::mutex mutex_;
  zookeeper::process_mark process_;
  // Gone with the execution context.
  std::unique_ptr<devices> devices_;
  boost::intrusive::multiset<waiting_timer, by_hook, boost::intrusive::compare<earlier>,
                             boost::intrusive::constant_time_size<false>>
      by_time_;
  // When the wait ends; the clock's maximum if no wait is under way.
  boot_clock::time_point awaited_ = boot_clock::time_point::max();
  // The number of the current wait: the handler of an earlier, cancelled wait may still run.
  std::uint64_t wait_ = 0;
};

} // namespace zklock::detail

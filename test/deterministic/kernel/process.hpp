#pragma once

#include "deterministic/kernel/clock.hpp"
#include "deterministic/kernel/loop.hpp"

#include <boost/asio/io_context.hpp>

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace deterministic {

class kernel;
class timer_file;

/// A simulated process, on a machine with clocks of its own.
class process {
 public:
  process(kernel& of, std::string name);
  ~process();

  process(const process&) = delete;
  process& operator=(const process&) = delete;

  const std::string& name() const noexcept { return name_; }

  /// The context of its main thread. The kernel runs its handlers.
  boost::asio::io_context& context() noexcept { return *context_; }

  /// Its further loops.
  void add_loop();
  const std::vector<std::unique_ptr<loop>>& loops() const noexcept { return loops_; }

  /// Calls a function as this process: its new descriptors belong to the process, and its posted
  /// handlers run soon.
  template <class Function>
  decltype(auto) call(Function&& function) {
    // Also after an exception.
    const std::unique_ptr<process, waker> at_end(this);
    return call_quietly(std::forward<Function>(function));
  }
  /// As `call`, of a function that posts nothing.
  template <class Function>
  decltype(auto) call_quietly(Function&& function) {
    const entered here(*this);
    return std::forward<Function>(function)();
  }

  /// Has its contexts polled. Needed after a post from outside of the process.
  void wake() noexcept {
    woken_ = true;
    wake_loops();
  }
  void wake_loops() noexcept;

  /// Destroys the context of its main thread, while its loops go on. No handler may be under way.
  void end_context() {
    go_on();
    call([this] { context_ = nullptr; });
  }

  /// SIGSTOP: nothing of the process runs for a while. May be called at any time, and also takes
  /// effect in the middle of a handler, at its next system call.
  void pause(time_point duration);
  /// Ends a pause early.
  void go_on() noexcept;
  bool is_paused() const noexcept;
  /// When it went on after its last pause, or after the last call inside a handler that took long;
  /// `clock::never` while it is inside such a call.
  time_point runs_since() const noexcept {
    return blocked_ ? clock::never : std::max(paused_until_, went_on_);
  }

  /// Suspends its machine: it is paused, and its monotonic clock stands still.
  void suspend(time_point duration);

  /// Moves the real-time clock of its machine.
  void shift_real_time(time_point by) noexcept { real_time_ += by; }

  /// SIGKILL: its connections end, and nothing of it runs any more. Afterwards its objects can be
  /// destroyed: no server notices.
  void kill();
  bool is_dead() const noexcept { return dead_; }

  time_point monotonic_time() const noexcept;
  time_point boot_time() const noexcept;
  time_point real_time() const noexcept;

  /// The kernel has no memory for the next `count` sends of the process.
  void fail_sends(std::size_t count) noexcept { failing_sends_ = count; }

  /// The process has no further descriptor for a while: for sockets, or only for duplicates.
  void lack_descriptors(time_point duration, bool only_duplicates);
  /// The network cannot be reached from its machine for a while: a connect fails at once.
  void lack_network(time_point duration);

  /// Whether the connection to the address that it has closed last, within a millisecond, went on,
  /// and had input that it did not read. Several clients may have a connection to the address.
  bool has_just_left_unread(const std::string& address) const;

  // For the kernel.

  bool fails_to_send() noexcept;
  /// A socket of the process begins to connect.
  void note_connect();
  bool lacks_descriptor(bool for_duplicate);
  bool lacks_network();
  void leaves(const std::string& address, bool unread);
  void add(timer_file& timer) { timers_.push_back(&timer); }
  void remove(timer_file& timer) noexcept;

  /// A loop of the process has run handlers.
  void note_handlers(std::uint64_t handlers);
  bool can_run() const noexcept { return woken_ && !running_ && !dead_ && !is_paused(); }
  /// A handler of its main thread is under way, maybe paused.
  bool is_running() const noexcept { return running_; }
  /// A handler of any of its loops is under way: the process must not be ended.
  bool is_any_running() const noexcept;
  /// Nothing keeps its contexts busy.
  bool is_out_of_work() const noexcept;
  /// Runs some handlers.
  void run(std::size_t most);
  time_point paused_until() const noexcept { return paused_until_; }

 private:
  friend class kernel;

  void begin_second();
  void count(std::uint64_t handlers);
  void note_turn(std::uint64_t handlers);
  bool is_lacking(time_point until);
  void end_contexts();
  void look_for_abandoned();

  struct waker {
    void operator()(process* which) const noexcept { which->wake(); }
  };

  struct closed_connection {
    time_point at;
    bool unread;
  };

  /// Makes the process current.
  class entered {
   public:
    explicit entered(process& which) noexcept;
    ~entered();
    entered(const entered&) = delete;
    entered& operator=(const entered&) = delete;

   private:
    process& process_;
    process* const before_;
  };

  kernel& kernel_;
  const std::string name_;
  std::unique_ptr<boost::asio::io_context> context_;
  std::vector<std::unique_ptr<loop>> loops_;
  std::vector<timer_file*> timers_;
  time_point paused_until_{0};
  /// The monotonic clock while its machine is suspended, and how far it is behind afterwards.
  time_point suspended_until_{0};
  time_point frozen_{0};
  time_point behind_{0};
  time_point real_time_;
  /// The handlers and the attempts to connect of the current second.
  std::uint64_t handlers_ = 0;
  std::uint64_t connects_ = 0;
  time_point second_{0};
  /// The handlers since the main thread last had nothing to do.
  std::uint64_t handlers_without_a_rest_ = 0;
  bool woken_ = true;
  bool running_ = false;
  bool blocked_ = false;
  time_point went_on_{0};
  bool dead_ = false;
  std::size_t failing_sends_ = 0;
  bool send_failed_ = false;
  time_point no_descriptors_until_{0};
  bool lacks_only_duplicates_ = false;
  time_point no_network_until_{0};
  /// The attempts that have failed since a lack began.
  std::size_t attempts_ = 0;
  std::map<std::string, closed_connection> left_;
};

} // namespace deterministic

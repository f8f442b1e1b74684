#pragma once

#include "deterministic/kernel/clock.hpp"

#include <boost/asio/io_context.hpp>

#include <thread>

namespace deterministic {

class kernel;
class process;
class thread;

/// A further loop of a process: an execution context that a thread of its own runs. Its handlers go
/// on while a handler of another loop takes long.
class loop {
 public:
  /// Begins to run. Call it as the process.
  loop(kernel& of, process& owner);
  ~loop();
  loop(const loop&) = delete;
  loop& operator=(const loop&) = delete;

  boost::asio::io_context& context() noexcept { return context_; }

  /// Has the context polled.
  void wake() noexcept;

  /// Ends the thread. No handler may be under way.
  void stop();

  /// A handler is under way, maybe for long.
  bool is_running() const noexcept { return running_; }
  /// When it went on after the last pause of its process, or after the last handler that took long;
  /// `clock::never` while it is inside of that handler, and once its thread has ended.
  time_point runs_since() const noexcept;

 private:
  void run();

  kernel& kernel_;
  process& owner_;
  boost::asio::io_context context_;
  bool running_ = false;
  bool ended_ = false;
  thread* self_ = nullptr;
  std::thread thread_;
};

} // namespace deterministic

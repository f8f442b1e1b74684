#pragma once

#include "deterministic/kernel/clock.hpp"
#include "deterministic/kernel/descriptors.hpp"
#include "deterministic/kernel/digest.hpp"
#include "deterministic/kernel/names.hpp"
#include "deterministic/kernel/network.hpp"
#include "deterministic/kernel/process.hpp"
#include "deterministic/kernel/threads.hpp"
#include "simulation/dice.hpp"

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace deterministic {

struct kernel_options {
  std::uint64_t seed = 1;
  /// The most time that passes at each reading of a clock.
  time_point clock_reading{200};
  /// The most time that a turn of a process takes, of some handlers.
  time_point turn{5'000};
  /// The size of the send buffer of each socket, in bytes. Linux gives a new socket 16 KiB.
  std::size_t send_buffer = 16 * 1024;
  /// Called after each step while the main thread waits inside of a handler.
  std::function<void()> look{};
  /// Called with each line of the story, which has the simulated time.
  std::function<void(const std::string& line)> trace{};
};

/// The simulated kernel, with the network and the processes. While it exists, the system calls of
/// the program go to it: the linker redirects them.
///
/// All depends on the seed only, so a history can be repeated. Objects that the kernel has made,
/// such as the server's end of a connection, must be destroyed before it.
class kernel {
 public:
  explicit kernel(kernel_options options = {});
  ~kernel();

  kernel(const kernel&) = delete;
  kernel& operator=(const kernel&) = delete;

  /// The kernel that exists; null without a kernel.
  static kernel* installed() noexcept;

  clock& time() noexcept { return clock_; }
  network& net() noexcept { return network_; }
  names& host_names() noexcept { return names_; }
  simulation::dice& dice() noexcept { return dice_; }

  /// Starts a process. Two that live at a time have different names.
  process& start(std::string name);
  /// Ends a process as exit() does: its contexts are destroyed, and it ends when its threads have
  /// ended.
  void end(process& which);

  /// Runs the processes and the network until that time.
  void run_until(time_point end) {
    run_until(end, [] { return false; });
  }
  void run_for(time_point duration) { run_until(clock_.now() + duration); }
  /// Ends earlier if the condition holds. Returns whether it does.
  bool run_until(time_point end, const std::function<bool()>& over);

  /// A handler of the current process takes that long. Its other loops go on meanwhile.
  void stall(time_point duration);

  /// The fault of the running program, such as a call that blocks.
  const std::vector<std::string>& faults() const noexcept { return faults_; }
  void add_fault(std::string text);

  /// A number that is equal for equal histories: of all system calls, with their bytes and times.
  std::uint64_t history() const noexcept { return digest_.value(); }

  /// How many sends had only a part of their bytes taken, or none.
  std::uint64_t short_sends() const noexcept { return short_sends_; }

  /// Adds a line to the story. The function makes the text.
  template <std::invocable Text>
  void trace(Text text) {
    if (options_.trace) tell(text());
  }

  // For the system calls.

  descriptors& files() noexcept { return files_; }
  deterministic::threads& threads() noexcept { return threads_; }
  digest& record() noexcept { return digest_; }
  std::size_t send_buffer() const noexcept { return options_.send_buffer; }
  void note_short_send() noexcept { ++short_sends_; }
  process* current() const noexcept { return current_; }
  /// Lets time pass, and stops a process that is paused. Each system call begins with it.
  void checkpoint();
  /// Lets the rest run until the condition holds: the current process or thread blocks.
  void block_until(const std::function<bool()>& over);

 private:
  friend class process;

  bool run_something();
  void tell(const std::string& text) const;

  const kernel_options options_;
  simulation::dice dice_;
  clock clock_;
  digest digest_;
  descriptors files_;
  deterministic::threads threads_;
  names names_;
  network network_;
  process* current_ = nullptr;
  std::vector<std::unique_ptr<process>> processes_;
  std::vector<std::string> faults_;
  std::uint64_t short_sends_ = 0;
};

} // namespace deterministic

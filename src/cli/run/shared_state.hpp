#pragma once

#include <zklock/clock.hpp>

#include <atomic>
#include <cstdint>

namespace zklock::cli {

/// State that the holder process shows the front process in shared memory, which the front process
/// can read while the holder process is stopped or dead.
class shared_state {
 public:
  using time_point = boot_clock::time_point;

  /// Throws `failure`.
  shared_state();
  ~shared_state();
  shared_state(const shared_state&) = delete;
  shared_state& operator=(const shared_state&) = delete;

  /// The time at which the command must be dead; the clock's maximum while none runs.
  time_point end_of_command() const noexcept;
  void set_end_of_command(time_point end) noexcept;

  /// The signal by which the program ends itself; 0: it exits with a code.
  int last_signal() const noexcept { return memory_->last_signal; }
  void set_last_signal(int number) noexcept { memory_->last_signal = number; }

 private:
  struct shared {
    std::atomic<std::int64_t> end_of_command{time_point::max().time_since_epoch().count()};
    std::atomic<int> last_signal{0};
  };
  static_assert(std::atomic<std::int64_t>::is_always_lock_free);

  shared* memory_;
};

} // namespace zklock::cli

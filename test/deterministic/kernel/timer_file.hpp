#pragma once

#include "deterministic/kernel/clock.hpp"
#include "deterministic/kernel/file.hpp"

#include <ctime>

namespace deterministic {

/// The file of timerfd_create() for the monotonic clock or the clock since boot.
class timer_file final : public file {
 public:
  timer_file(process* owner, clock& time, clockid_t which);
  ~timer_file() override;

  int set(int flags, const itimerspec& to, itimerspec* before);

  /// The monotonic clock of the machine has stood still: the timer expires later.
  void postpone(time_point by);

  std::uint32_t ready() const override;
  ssize_t read(void* to, std::size_t size) override;

 private:
  void arm(time_point due);
  void disarm() noexcept;
  void expired();
  void released() override { disarm(); }

  time_point now() const noexcept;

  clock& clock_;
  const clockid_t which_;
  clock::timer timer_ = clock::none;
  /// In simulated time.
  time_point due_{0};
  time_point interval_{0};
  std::uint64_t expirations_ = 0;
};

} // namespace deterministic

#pragma once

#include <zklock/export.hpp>

#include <chrono>

namespace zklock {

/// The clock of `hold::valid_until()`: CLOCK_BOOTTIME, which never jumps and, unlike
/// `std::chrono::steady_clock`, goes on while the machine is suspended. A session expires on the
/// servers while a laptop or a virtual machine sleeps; this clock sees that.
struct ZKLOCK_EXPORT boot_clock {
  /// Nanoseconds.
  using duration = std::chrono::nanoseconds;
  /// The type of a count of nanoseconds.
  using rep = duration::rep;
  /// The unit, a nanosecond.
  using period = duration::period;
  /// A time of this clock.
  using time_point = std::chrono::time_point<boot_clock>;
  /// The clock never jumps.
  static constexpr bool is_steady = true;

  /// Returns the time since the machine was started, in nanoseconds.
  ///
  /// Thread safety: safe.
  [[nodiscard]] static time_point now() noexcept;
};

} // namespace zklock

#pragma once

#include <chrono>
#include <ratio>

namespace zklock {

namespace detail {

/// Converts a duration to nanoseconds without overflow. A duration beyond the range is the maximum
/// or the minimum. A duration below the resolution keeps its sign: only an exact zero is a try.
template <class Rep, class Period>
constexpr std::chrono::nanoseconds saturate(std::chrono::duration<Rep, Period> duration) {
  using std::chrono::nanoseconds;
  // Not by duration_cast: the ratio of a long period would overflow.
  const long double exact = static_cast<long double>(duration.count()) * Period::num /
                            static_cast<long double>(Period::den) * 1e9L;
  if (exact >= static_cast<long double>(nanoseconds::max().count())) return nanoseconds::max();
  // NaN becomes the minimum, like a negative duration.
  if (!(exact > static_cast<long double>(nanoseconds::min().count()))) return nanoseconds::min();
  const auto whole = static_cast<nanoseconds::rep>(exact);
  if (whole == 0 && exact != 0) return nanoseconds(exact > 0 ? 1 : -1);
  return nanoseconds(whole);
}

} // namespace detail

/// How long an operation may wait: a duration, or a time point until which it may wait.
///
/// A duration counts from the start of the operation. Zero is a try: the operation does not wait
/// for a lock that is taken. A duration or a time point that is its type's maximum, or beyond
/// nanoseconds of 64 bits, stands for ever. A negative duration is an error of the operation:
/// `errc::bad_timeout`. A time point that has passed is a try.
///
/// A time point of any clock except the steady clock is converted once, when the `time_limit` is
/// made: where the system clock jumps later, the operation waits for as long as it would have
/// waited without the jump. No limit counts the time for which the machine is suspended.
///
/// Thread safety: distinct objects may be used concurrently; the functions of a shared object, too.
class time_limit {
 public:
  /// The clock of the limit.
  using clock = std::chrono::steady_clock;

  /// Makes a limit of a duration.
  template <class Rep, class Period>
  constexpr time_limit(std::chrono::duration<Rep, Period> timeout) noexcept
      : value_(detail::saturate(timeout)) {}

  /// Makes a limit of a time point of the steady clock.
  template <class Duration>
  constexpr time_limit(std::chrono::time_point<clock, Duration> deadline) noexcept
      : value_(detail::saturate(deadline.time_since_epoch())), is_deadline_(true) {}

  /// Makes a limit of a time point of any other clock, such as `std::chrono::system_clock`.
  template <class Clock, class Duration>
  time_limit(std::chrono::time_point<Clock, Duration> deadline) noexcept
      : time_limit(after(detail::saturate(deadline.time_since_epoch()),
                         detail::saturate(Clock::now().time_since_epoch()))) {}

  /// Returns how long an operation may wait that starts now: the duration, or the time until the
  /// deadline, which is zero for a deadline that has passed; the maximum stands for ever.
  [[nodiscard]] std::chrono::nanoseconds left() const noexcept {
    if (!is_deadline_ || value_ == value_.max()) return value_;
    const auto now = clock::now().time_since_epoch();
    return value_ > now ? value_ - now : value_.zero();
  }

 private:
  static time_limit after(std::chrono::nanoseconds deadline,
                          std::chrono::nanoseconds now) noexcept {
    if (deadline == deadline.max()) return deadline;
    // The difference of two time points may be beyond the range of nanoseconds.
    using exact = std::chrono::duration<long double, std::nano>;
    const auto left = exact(deadline) - exact(now);
    return time_limit(
        std::chrono::time_point<clock, exact>(clock::now().time_since_epoch() + left));
  }

  std::chrono::nanoseconds value_;
  bool is_deadline_ = false;
};

} // namespace zklock

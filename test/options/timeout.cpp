#include <zklock/clock.hpp>
#include <zklock/time_limit.hpp>

#include <boost/test/unit_test.hpp>

#include <chrono>
#include <limits>
#include <ratio>

namespace zklock::test {

using namespace std::chrono_literals;
using detail::saturate;
using std::chrono::nanoseconds;

namespace {

void check(nanoseconds converted, nanoseconds expected) {
  BOOST_TEST(converted.count() == expected.count());
}

} // namespace

BOOST_AUTO_TEST_SUITE(timeout, *boost::unit_test::timeout(30))

BOOST_AUTO_TEST_CASE(timeout_is_converted_exactly) {
  check(saturate(0s), 0ns);
  check(saturate(5s), 5s);
  check(saturate(-3ms), -3ms);
  check(saturate(nanoseconds::max() - 1ns), nanoseconds::max() - 1ns);
  check(saturate(nanoseconds::min() + 1ns), nanoseconds::min() + 1ns);
  check(saturate(std::chrono::duration<double>(0.25)), 250ms);
}

BOOST_AUTO_TEST_CASE(overlong_timeout_saturates) {
  using ages = std::chrono::duration<long, std::ratio<31'556'952'000'000>>;
  check(saturate(std::chrono::hours::max()), nanoseconds::max());
  check(saturate(std::chrono::years::min()), nanoseconds::min());
  check(saturate(ages(1)), nanoseconds::max());
  check(saturate(ages(-1)), nanoseconds::min());
  using real = std::chrono::duration<double>;
  check(saturate(real(std::numeric_limits<double>::infinity())), nanoseconds::max());
  check(saturate(real(std::numeric_limits<double>::quiet_NaN())), nanoseconds::min());
}

BOOST_AUTO_TEST_CASE(tiny_timeout_rounds_away_from_zero) {
  using picoseconds = std::chrono::duration<long, std::pico>;
  check(saturate(picoseconds(1)), 1ns);
  check(saturate(picoseconds(-1)), -1ns);
  check(saturate(picoseconds(1999)), 1ns);
  check(saturate(std::chrono::duration<double, std::atto>(1e-9)), 1ns);
}

BOOST_AUTO_TEST_CASE(limit_of_a_duration_is_the_duration) {
  check(time_limit(5s).left(), 5s);
  check(time_limit(0ms).left(), 0ns);
  check(time_limit(-1h).left(), -1h);
  check(time_limit(std::chrono::hours::max()).left(), nanoseconds::max());
}

// The time that is left lies between the times of two looks at the clock.
template <class Clock>
void check_time_points() {
  const auto begun = Clock::now();
  const auto deadline = begun + 1h;
  const time_limit limit(deadline);
  const auto left = limit.left();
  const auto ended = Clock::now();
  BOOST_TEST((left <= 1h));
  // A clock that is read in another unit may differ by the unit.
  BOOST_TEST((left >= deadline - ended - 1us));
  check(time_limit(begun - 1s).left(), 0ns);
  check(time_limit(Clock::time_point::min()).left(), 0ns);
  check(time_limit(Clock::time_point::max()).left(), nanoseconds::max());
}

BOOST_AUTO_TEST_CASE(limit_of_a_time_point_is_the_time_until_then) {
  check_time_points<std::chrono::steady_clock>();
  check_time_points<std::chrono::system_clock>();
  check_time_points<boot_clock>();
  using days = std::chrono::time_point<std::chrono::system_clock, std::chrono::days>;
  check(time_limit(days(std::chrono::days(1))).left(), 0ns);
}

// A clock whose epoch lies ahead, as that of the files' clock does.
struct early_clock {
  using duration = nanoseconds;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<early_clock>;
  static constexpr bool is_steady = false;
  static time_point now() noexcept { return time_point(nanoseconds::min() / 2); }
};

BOOST_AUTO_TEST_CASE(limit_of_a_time_point_beyond_the_range_is_for_ever) {
  BOOST_TEST((time_limit(early_clock::now() + 1h).left() <= 1h));
  BOOST_TEST((time_limit(early_clock::now() + 1h).left() > 0ns));
  check(time_limit(early_clock::time_point(nanoseconds::max() - 1s)).left(), nanoseconds::max());
  check(time_limit(early_clock::time_point(nanoseconds::min())).left(), 0ns);
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace zklock::test

#include <zklock/detail/initiation.hpp>

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

BOOST_AUTO_TEST_SUITE_END()

} // namespace zklock::test

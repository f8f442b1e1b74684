#include "client/lock_counters.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <atomic>
#include <thread>

namespace zklock::test {

BOOST_AUTO_TEST_SUITE(lock_counters, *boost::unit_test::timeout(60))

using detail::lock_counters;
using std::chrono::nanoseconds;

// Calls a function in another thread again and again, and reads meanwhile.
template <class Function>
void expect_few_holds(lock_counters& counted, Function one_cycle) {
  constexpr std::uint64_t count = 2'000'000;
  std::atomic<bool> done = false;
  std::thread cycles([&] {
    for (std::uint64_t i = 0; i < count; ++i)
      one_cycle();
    done = true;
  });
  std::uint64_t most = 0;
  while (!done)
    most = std::max(most, counted.read().holds);
  cycles.join();
  // A count below zero would wrap to more than all holds.
  BOOST_TEST(most <= 2 * count);
  BOOST_TEST(counted.read().holds == 0u);
}

// The client's strand grants a hold that another thread releases.
BOOST_AUTO_TEST_CASE(holds_are_not_negative_while_handed_out_holds_are_released) {
  lock_counters counted;
  expect_few_holds(counted, [&] {
    counted.waits();
    counted.granted(nanoseconds(1), false);
    counted.released_fast(nanoseconds(1));
  });
}

// Another thread is granted a hold that the client's strand ends.
BOOST_AUTO_TEST_CASE(holds_are_not_negative_while_adopted_holds_end) {
  lock_counters counted;
  expect_few_holds(counted, [&] {
    counted.granted_at_once();
    counted.released(nanoseconds(1));
    counted.granted_at_once();
    counted.lost(errc::entry_deleted, nanoseconds(1));
  });
}

BOOST_AUTO_TEST_CASE(each_hold_counts_until_it_ends) {
  lock_counters counted;
  counted.waits();
  counted.granted(nanoseconds(1), false);
  counted.granted_at_once();
  counted.waits();
  counted.granted_fast(nanoseconds(1));
  BOOST_TEST(counted.read().holds == 3u);
  BOOST_TEST(counted.read().waiters == 0u);
  counted.released_fast(nanoseconds(1));
  BOOST_TEST(counted.read().holds == 2u);
  counted.lost(errc::session_expired, nanoseconds(1));
  counted.released(nanoseconds(1));
  BOOST_TEST(counted.read().holds == 0u);
  BOOST_TEST(counted.read().acquired == 3u);
  BOOST_TEST(counted.read().released == 2u);
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace zklock::test

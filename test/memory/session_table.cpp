#include "testing/memory/session_table.hpp"

#include "memory/tree.hpp"

#include <boost/test/unit_test.hpp>

using namespace zklock::test::memory;

BOOST_AUTO_TEST_SUITE(memory_session_table, *boost::unit_test::timeout(30))

BOOST_AUTO_TEST_CASE(timeout_is_between_the_limits) {
  session_table sessions({500, 1000, 10'000}, 1);
  BOOST_TEST(sessions.negotiate(10) == 1000);
  BOOST_TEST(sessions.negotiate(2500) == 2500);
  BOOST_TEST(sessions.negotiate(20'000) == 10'000);
}

BOOST_AUTO_TEST_CASE(session_expires_on_the_next_tick_after_its_timeout) {
  session_table sessions({500, 1000, 10'000}, 1);
  sessions.begin(1, 1000, 200);
  sessions.begin(2, 1000, 499);
  sessions.begin(3, 1000, 500);
  BOOST_TEST(sessions.next_expiry().value_or(0) == 1500);
  BOOST_TEST(sessions.expire(1499).empty());
  BOOST_TEST(sessions.expire(1500) == (std::vector<std::int64_t>{1, 2}),
             boost::test_tools::per_element());
  BOOST_TEST(sessions.expire(1999).empty());
  BOOST_TEST(sessions.expire(2000) == std::vector<std::int64_t>{3},
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(touch_puts_expiry_off) {
  session_table sessions({500, 1000, 10'000}, 1);
  sessions.begin(1, 1000, 0);
  BOOST_TEST(sessions.touch(1, 1000, 1400));
  BOOST_TEST(sessions.expire(2000).empty());
  BOOST_TEST(sessions.next_expiry().value_or(0) == 2500);
}

BOOST_AUTO_TEST_CASE(closing_session_is_neither_touched_nor_expired_again) {
  session_table sessions({500, 1000, 10'000}, 1);
  sessions.begin(1, 1000, 0);
  BOOST_TEST(sessions.expire(1500).size() == 1U);
  BOOST_TEST(!sessions.touch(1, 1000, 1600));
  BOOST_TEST(sessions.expire(9000).empty());
  BOOST_TEST(sessions.check(1, 0) == code::session_expired);
  sessions.end(1);
  BOOST_TEST(!sessions.touch(1, 1000, 1600));
}

BOOST_AUTO_TEST_CASE(moved_session_is_refused_to_its_former_owner) {
  session_table sessions({500, 1000, 10'000}, 1);
  sessions.begin(1, 1000, 0);
  sessions.move(1, 5);
  BOOST_TEST(sessions.check(1, 5) == code::ok);
  sessions.move(1, 6);
  BOOST_TEST(sessions.check(1, 5) == code::session_moved);
}

BOOST_AUTO_TEST_SUITE_END()

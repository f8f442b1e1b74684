// Tries hold at once or not at all, and create nothing where the lock is taken.

#include "subject.hpp"

#include <boost/test/unit_test.hpp>

namespace zklock::test {

BOOST_AUTO_TEST_SUITE(queue_tries, *boost::unit_test::timeout(30))

BOOST_AUTO_TEST_CASE(a_try_on_a_lock_taken_by_others_asks_for_one_list) {
  subject it;
  it.connected();
  BOOST_TEST(it.try_acquire(1) == "list");
  BOOST_TEST(it.listed({it.other(4)}) == "refuse 1 (busy)");
  BOOST_TEST(it.empty());
}

BOOST_AUTO_TEST_CASE(a_try_on_a_lock_of_ours_asks_for_nothing) {
  subject it;
  it.make_first();
  BOOST_TEST(it.try_acquire(2) == "refuse 2 (busy)");
}

BOOST_AUTO_TEST_CASE(a_try_on_a_free_lock_gets_it) {
  subject it;
  it.connected();
  it.try_acquire(1);
  BOOST_TEST(it.listed({}, 7) == "make directory, create 1, list");
  BOOST_TEST(it.created(1, 7) == "");
  BOOST_TEST(it.listed({it.own(1, 7)}) == "grant 1");
}

BOOST_AUTO_TEST_CASE(a_try_is_not_behind_a_number_that_was_not_given_out) {
  subject it;
  it.connected();
  it.try_acquire(1);
  BOOST_TEST(it.listed({it.other(2024010100)}, 1) == "make directory, create 1, list");
  BOOST_TEST(it.created(1, 1) == "");
  BOOST_TEST(it.listed({it.own(1, 1), it.other(2024010100)}, 2) == "grant 1");
}

BOOST_AUTO_TEST_CASE(try_that_is_overtaken_is_refused) {
  subject it;
  it.connected();
  it.try_acquire(1);
  it.listed({});
  BOOST_TEST(it.created(1, 8) == "");
  BOOST_TEST(it.listed({it.other(7), it.own(1, 8)}) == "refuse 1 (busy), delete 1");
  BOOST_TEST(it.removed(1) == "");
}

BOOST_AUTO_TEST_CASE(of_two_tries_the_first_gets_the_lock) {
  subject it;
  it.connected();
  BOOST_TEST(it.try_acquire(1) == "list");
  BOOST_TEST(it.try_acquire(2) == "");
  BOOST_TEST(it.listed({}) == "make directory, create 1, list");
  BOOST_TEST(it.created(1, 0) == "grant 1");
  BOOST_TEST(it.listed({it.own(1, 0)}) == "refuse 2 (busy)");
}

BOOST_AUTO_TEST_CASE(a_try_is_not_answered_by_a_list_that_is_older) {
  subject it;
  it.connected();
  it.try_acquire(1);
  it.try_acquire(2);
  BOOST_TEST(it.listed({it.other(3)}) == "refuse 1 (busy), list");
  BOOST_TEST(it.listed({}) == "make directory, create 1, list");
}

BOOST_AUTO_TEST_CASE(a_try_given_up_leaves_nothing) {
  subject it;
  it.connected();
  it.try_acquire(1);
  BOOST_TEST(it.release(1) == "forget 1");
  BOOST_TEST(it.listed({}) == "");
  BOOST_TEST(it.empty());
}

BOOST_AUTO_TEST_CASE(a_try_whose_node_is_gone_tries_again) {
  subject it;
  it.connected();
  it.try_acquire(1);
  it.listed({});
  it.proven = false;
  BOOST_TEST(it.created(1, 0) == "confirm 1");
  it.listed({it.own(1, 0)});
  BOOST_TEST(it.missing(1) == "list");
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace zklock::test

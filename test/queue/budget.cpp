// The nodes that a queue owns at a time.
#include "permits.hpp"

#include <boost/test/unit_test.hpp>

namespace zklock::test {

BOOST_AUTO_TEST_SUITE(queue_budget, *boost::unit_test::timeout(30))

BOOST_AUTO_TEST_CASE(permits_that_never_fit_are_refused_at_once) {
  for (const bool knows_limit : {false, true}) {
    queue::settings settings{.entry_bytes = 100, .policy = queue::lock_policy::counted};
    if (knows_limit) settings.limit = 10;
    subject it(settings, 350);
    BOOST_TEST(it.acquire(1, many(4)) == "refuse 1 (no room)");
    it.connected();
    BOOST_TEST(it.acquire(2, many(4)) == "refuse 2 (no room)");
    BOOST_TEST(it.try_acquire(3, many(10)) == "refuse 3 (no room)");
    BOOST_TEST(it.empty());
    BOOST_TEST(it.acquire(4, many(3)) != "refuse 4 (no room)");
  }
}

BOOST_AUTO_TEST_CASE(permits_that_cannot_be_taken_at_once_are_refused) {
  subject it({.policy = queue::lock_policy::counted, .most_permits = 5});
  it.connected();
  BOOST_TEST(it.acquire(1, many(6)) == "refuse 1 (too many)");
  BOOST_TEST(it.try_acquire(2, many(6)) == "refuse 2 (too many)");
  BOOST_TEST(it.empty());
}

// The first own entry waits for the entries before it, which have all the room that they want.
BOOST_AUTO_TEST_CASE(first_in_line_keeps_its_entry) {
  subject it;
  it.connected();
  it.acquire(1);
  it.created(1, 5);
  it.acquire(2);
  it.created(2, 6);
  it.listed({it.other(4), it.own(1, 5), it.own(2, 6)});
  BOOST_TEST(it.make_room() == "delete 2");
  BOOST_TEST(it.starved());
  BOOST_TEST(it.removed(2) == "create 3");
  BOOST_TEST(it.make_room() == "");
}

// The permits may be held by a caller that waits for this very room.
BOOST_AUTO_TEST_CASE(first_in_line_behind_permits_of_ours_makes_room) {
  of_three own;
  own.take(3);
  own.it.acquire(2);
  own.it.created(2, 6);
  BOOST_TEST(own.it.make_room() == "delete 2");
  of_three others;
  others.it.make_first();
  others.it.permits_listed(
      {others.it.other_permit(0), others.it.other_permit(1), others.it.other_permit(2)});
  BOOST_TEST(others.it.make_room() == "");
}

// The first acquisition has lost its entry, and the next one has no room for all that it wants.
BOOST_AUTO_TEST_CASE(entry_without_room_for_the_permits_does_not_stop_those_behind_it) {
  subject it({.entry_bytes = 100, .policy = queue::lock_policy::counted, .limit = 3}, 400);
  it.connected();
  it.acquire(1, many(2));
  it.created(1, 5);
  it.listed({it.own(1, 5)});
  it.acquire(2);
  it.created(2, 6);
  it.acquire(3);
  it.created(3, 7);
  BOOST_TEST(it.permits_listed({it.other_permit(0), it.other_permit(1)}) == "");
  it.close_budget();
  BOOST_TEST(it.missing(1) == "list");
  BOOST_TEST(it.listed({it.own(2, 6), it.own(3, 7)}) == "list permits");
  BOOST_TEST(it.permits_listed() == "delete 2, take 1 for 3");
  BOOST_TEST(it.taken(3) == "grant 2 by 3");
}

BOOST_AUTO_TEST_CASE(closed_budget_lends_a_part_of_it) {
  queue::node_budget budget(1000, 250);
  BOOST_TEST(budget.take(100));
  budget.close(true);
  BOOST_TEST(!budget.take(100));
  BOOST_TEST(!budget.borrow(100));
  budget.lend(true);
  BOOST_TEST(budget.borrow(100));
  BOOST_TEST(budget.borrow(150));
  BOOST_TEST(!budget.borrow(1));
  BOOST_TEST(budget.left() == 650u);
  // What was not borrowed makes no room for more to be borrowed.
  budget.give_back(100);
  BOOST_TEST(!budget.borrow(1));
  budget.give_back(150);
  budget.repay(150);
  BOOST_TEST(budget.borrow(150));
  budget.lend(false);
  budget.give_back(150);
  budget.repay(150);
  BOOST_TEST(!budget.borrow(1));
  budget.close(false);
  BOOST_TEST(budget.take(900));
  // There must be room as well.
  budget.close(true);
  budget.lend(true);
  BOOST_TEST(!budget.borrow(1));
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace zklock::test

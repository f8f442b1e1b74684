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
  BOOST_TEST(it.drop_surplus() == "delete 2");
  BOOST_TEST(it.starved());
  BOOST_TEST(it.removed(2) == "create 3");
  BOOST_TEST(it.drop_surplus() == "");
}

// The permits may be held by a caller that waits for this very room.
BOOST_AUTO_TEST_CASE(first_in_line_behind_permits_of_ours_makes_room) {
  of_three own;
  own.take(3);
  own.it.acquire(2);
  own.it.created(2, 6);
  BOOST_TEST(own.it.drop_surplus() == "delete 2");
  of_three others;
  others.it.make_first();
  others.it.permits_listed(
      {others.it.other_permit(0), others.it.other_permit(1), others.it.other_permit(2)});
  BOOST_TEST(others.it.drop_surplus() == "");
}

// Acquisition 1 has waited for longer, and takes the place of 2, whose permits were not taken.
BOOST_AUTO_TEST_CASE(entry_without_room_for_the_permits_does_not_stop_those_behind_it) {
  subject it({.entry_bytes = 100, .policy = queue::lock_policy::counted, .limit = 3}, 300);
  it.connected();
  it.take_room(300);
  BOOST_TEST(it.acquire(1, many(2)) == "");
  // They bring room along.
  BOOST_TEST(it.acquire(2, {.has_room = true}) == "make directory, create 1, list, list permits");
  BOOST_TEST(it.acquire(3, {.has_room = true}) == "create 2, watch directory");
  it.created(1, 5);
  it.created(2, 6);
  it.listed({it.own(1, 5), it.own(2, 6)});
  BOOST_TEST(it.permits_listed() == "take 1 for 1, take 1 for 2");
  BOOST_TEST(it.taken(1, queue::answer::no_node) == "make parents");
  it.taken(2, queue::answer::no_node);
  BOOST_TEST(it.directory_made() == "delete 1, take 1 for 2");
  BOOST_TEST(it.taken(2) == "grant 2");
  // The room of entry 1 is for acquisition 3 again.
  BOOST_TEST(it.removed(1) == "create 3, list permits");
  BOOST_TEST(it.starved());
}

// Acquisition 1 has waited for longer, and takes one permit by the entry of 2.
BOOST_AUTO_TEST_CASE(room_for_more_permits_stays_for_the_acquisition_that_has_brought_it) {
  subject it({.entry_bytes = 100, .policy = queue::lock_policy::counted, .limit = 3}, 300);
  it.connected();
  it.take_room(300);
  it.acquire(1);
  it.acquire(2, {.permits = 2, .has_room = true});
  it.created(1, 5);
  it.listed({it.own(1, 5)});
  BOOST_TEST(it.permits_listed() == "take 2 for 1");
  BOOST_TEST(it.taken(1, queue::answer::no_node) == "make parents");
  it.directory_made();
  it.listed({it.own(1, 5)});
  BOOST_TEST(it.permits_listed() == "take 1 for 1");
  BOOST_TEST(it.taken(1) == "grant 1");
  BOOST_TEST(it.release(1) == "give back 1 of 1");
  BOOST_TEST(it.removed(1) == "forget 1, create 2, list, list permits, watch directory");
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace zklock::test

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

// Acquisition 1 waits for room.
BOOST_AUTO_TEST_CASE(acquisitions_that_have_brought_their_room_keep_their_entries) {
  subject it({.entry_bytes = 100, .policy = queue::lock_policy::counted, .limit = 3}, 300);
  it.connected();
  it.take_room(300);
  BOOST_TEST(it.acquire(1, many(2)) == "");
  BOOST_TEST(it.acquire(2, {.has_room = true}) == "make directory, create 1, list, list permits");
  BOOST_TEST(it.acquire(3, {.has_room = true}) == "create 2, watch directory");
  it.created(1, 5);
  it.created(2, 6);
  it.listed({it.own(1, 5), it.own(2, 6)});
  BOOST_TEST(it.permits_listed() == "take 1 for 1, take 1 for 2");
  BOOST_TEST(it.taken(1, queue::answer::no_node) == "make parents");
  it.taken(2, queue::answer::no_node);
  BOOST_TEST(it.directory_made() == "take 1 for 1, take 1 for 2");
  BOOST_TEST(it.taken(1) == "grant 2 by 1");
  BOOST_TEST(it.taken(2) == "grant 3 by 2");
  BOOST_TEST(it.starved());
}

namespace {

// Another client has deleted entry 1, so that the permits of entry 2 are deleted. Until they are
// deleted there is no room for the permits of acquisition 2 by entry 4.
struct missing_room {
  missing_room() {
    it.connected();
    it.acquire(1);
    it.acquire(2, many(3));
    it.acquire(3);
    for (queue::entry_id id = 1; id <= 3; ++id)
      it.created(id, 4 + static_cast<queue::sequence>(id));
    it.listed({it.own(1, 5), it.own(2, 6), it.own(3, 7)});
    BOOST_TEST(it.permits_listed() == "take 1 for 1, take 3 for 2");
    BOOST_TEST(it.room_left() == 0u);
    BOOST_TEST(it.taken(1, queue::answer::no_node, true) == "create 4, list, list permits");
    BOOST_TEST(it.taken(2) == "delete 3 permits of 2");
    BOOST_TEST(it.created(4, 8) == "");
    BOOST_TEST(it.listed({it.own(3, 7), it.own(4, 8)}) == "");
  }

  subject it{{.entry_bytes = 100, .policy = queue::lock_policy::counted, .limit = 4}, 500};
};

} // namespace

BOOST_FIXTURE_TEST_CASE(acquisition_waits_for_the_room_of_the_permits_that_it_deletes,
                        missing_room) {
  // The permits are free, and the turn of entry 3 has come.
  BOOST_TEST(it.permits_listed({it.permit(2), it.permit(2, 1), it.permit(2, 2)}) == "");
  BOOST_TEST(it.permits_changed() == "");
  BOOST_TEST(it.refill() == "");
  BOOST_TEST(it.starved());
  BOOST_TEST(it.room_left() == 0u);
  it.removed(2);
  BOOST_TEST(!it.starved());
  it.created(5, 9);
  BOOST_TEST(it.taken(3) == "grant 1 by 3");
  BOOST_TEST(it.taken(4) == "grant 2 by 4");
  BOOST_TEST(it.release(1) == "delete 1 permit of 3, take 1 for 5");
  BOOST_TEST(it.release(2) == "delete 3 permits of 4");
  BOOST_TEST(it.taken(5) == "grant 3 by 5");
  BOOST_TEST(it.release(3) == "delete 1 permit of 5");
  BOOST_TEST(it.room_left() == 0u);
  BOOST_TEST(it.removed(3) == "forget 1");
  BOOST_TEST(it.removed(4) == "forget 2");
  BOOST_TEST(it.removed(5) == "forget 3");
  BOOST_TEST(it.empty());
  BOOST_TEST(it.room_left() == 500u);
}

// Acquisition 3 has given up: no create follows.
BOOST_FIXTURE_TEST_CASE(permits_are_taken_once_the_deleted_permits_have_left_their_room,
                        missing_room) {
  BOOST_TEST(it.permits_listed({it.permit(2), it.permit(2, 1), it.permit(2, 2)}) == "");
  BOOST_TEST(it.release(3) == "forget 3");
  BOOST_TEST(it.permits_changed() == "");
  BOOST_TEST(it.removed(2) == "take 1 for 3, take 3 for 4");
  BOOST_TEST(it.refill() == "");
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace zklock::test

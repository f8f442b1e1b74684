// An entry serves several acquisitions in turn.

#include "subject.hpp"

#include <boost/test/unit_test.hpp>

namespace zklock::test {

BOOST_AUTO_TEST_SUITE(queue_handoffs, *boost::unit_test::timeout(30))

namespace {

// Acquisition 1 holds by entry 1; acquisitions 2 and 3 wait, and have entries in line.
void line_up(subject& it) {
  it.make_first();
  it.acquire(2);
  it.directory_watched();
  it.acquire(3);
  it.created(2, 6);
  it.created(3, 7);
}

} // namespace

BOOST_AUTO_TEST_CASE(an_entry_is_handed_over_as_often_as_it_may_be) {
  subject it({.local_handoffs = 2});
  line_up(it);
  BOOST_TEST(it.release(1) == "forget 1, grant 2 by 1, turn 1");
  BOOST_TEST(it.acquire(4) == "");
  BOOST_TEST(it.release(2) == "forget 2, grant 3 by 1, turn 2");
  BOOST_TEST(it.acquire(5) == "");
  BOOST_TEST(it.release(3) == "delete 1 (2), grant 4 by 2");
  BOOST_TEST(it.release(4) == "forget 4, grant 5 by 2, turn 1");
}

BOOST_AUTO_TEST_CASE(released_entry_is_deleted_where_none_waits) {
  subject it({.local_handoffs = 2});
  it.make_first();
  BOOST_TEST(it.release(1) == "delete 1");
}

BOOST_AUTO_TEST_CASE(spare_entries_go_with_the_entry_that_was_handed_over) {
  subject it({.local_handoffs = 2});
  line_up(it);
  it.release(1);
  it.release(2);
  BOOST_TEST(it.release(3) == "delete 1, delete 2, delete 3");
}

BOOST_AUTO_TEST_CASE(spare_entry_whose_create_is_answered_stays) {
  subject it({.local_handoffs = 2});
  it.make_first();
  it.acquire(2);
  BOOST_TEST(it.release(1) == "forget 1, grant 2 by 1, turn 1");
  BOOST_TEST(it.created(2, 6) == "");
  BOOST_TEST(it.acquire(3) == "");
}

BOOST_AUTO_TEST_CASE(a_hand_over_waits_for_a_proof_as_a_grant_does) {
  subject it({.local_handoffs = 2});
  line_up(it);
  it.proven = false;
  BOOST_TEST(it.release(1) == "forget 1, confirm 1");
  it.proven = true;
  BOOST_TEST(it.confirmed() == "grant 2 by 1, turn 1");
}

BOOST_AUTO_TEST_CASE(what_is_handed_over_can_be_lost_as_if_it_were_not) {
  subject it({.local_handoffs = 2});
  line_up(it);
  it.release(1);
  BOOST_TEST(it.missing(1) == "lose 2 (deleted), delete 3, list");
  BOOST_TEST(it.listed({it.own(2, 6)}) == "grant 3 by 2");
}

BOOST_AUTO_TEST_CASE(released_entry_is_granted_to_none_while_disconnected) {
  subject it({.local_handoffs = 2});
  line_up(it);
  it.disconnected();
  BOOST_TEST(it.release(1) == "forget 1");
  it.connected();
  BOOST_TEST(it.listed({it.own(1, 5), it.own(2, 6), it.own(3, 7)}) == "grant 2 by 1, turn 1");
}

BOOST_AUTO_TEST_CASE(an_entry_of_others_behind_ours_is_watched_all_the_same) {
  subject it({.local_handoffs = 1});
  it.make_first();
  it.acquire(2);
  it.directory_watched();
  it.created(2, 7);
  BOOST_TEST(it.listed({it.own(1, 5), it.other(6), it.own(2, 7)}) == "watch 6");
  BOOST_TEST(it.release(1) == "forget 1, grant 2 by 1, turn 1");
  it.acquire(3);
  BOOST_TEST(it.release(2) == "delete 1");
  BOOST_TEST(it.deleted(6) == "grant 3 by 2");
}

// The next reader may be behind a reader of another client that has a higher token, and may be
// gone.
BOOST_AUTO_TEST_CASE(a_readers_entry_is_not_handed_over) {
  subject it({.local_handoffs = 2, .policy = queue::lock_policy::shared});
  const queue::lock_mode reads{.wants = queue::role::shared};
  it.make_first(reads);
  it.acquire(2, reads);
  it.directory_watched();
  it.created(2, 7);
  BOOST_TEST(it.listed({it.own(1, 5, reads.wants), it.other(6), it.own(2, 7, reads.wants)}) ==
             "watch 6");
  BOOST_TEST(it.release(1) == "delete 1");
  BOOST_TEST(it.deleted(6) == "grant 2");
}

// A lock is watched once it was acquired twice in a row, and its entry was handed over as often as
// half of the limit. The watch shows that no other client wants the lock.
struct hot {
  hot() {
    it.make_first();
    it.release(1);
    it.removed(1);
    it.acquire(2);
    it.directory_watched();
    it.created(2, 6);
    it.listed({it.own(2, 6)});
    it.acquire(3);
    it.created(3, 7);
    it.acquire(4);
    it.created(4, 8);
  }

  // Two acquisitions wait, and the answer to the list is here.
  void watch() {
    BOOST_TEST(it.release(2) == "forget 2, grant 3 by 2, turn 1, watch data 2, list and watch");
    BOOST_TEST(it.data_watched(2) == "");
    BOOST_TEST(it.acquire(5) == "");
    BOOST_TEST(it.children_listed({it.own(2, 6), it.own(3, 7), it.own(4, 8)}) == "");
  }

  subject it{{.local_handoffs = 2}};
};

BOOST_FIXTURE_TEST_CASE(it_is_handed_over_without_a_limit_while_no_other_client_wants_it, hot) {
  watch();
  for (acquisition_id last = 3; last < 20; ++last) {
    BOOST_TEST(it.acquire(last + 3) == "");
    BOOST_TEST(it.release(last) == "forget " + std::to_string(last) + ", grant " +
                                       std::to_string(last + 1) + " by 2, turn " +
                                       std::to_string(last - 1));
  }
}

BOOST_FIXTURE_TEST_CASE(it_is_handed_over_within_the_limit_once_another_client_wants_it, hot) {
  watch();
  it.acquire(6);
  it.release(3);
  it.acquire(7);
  it.release(4);
  BOOST_TEST(it.children_changed() == "");
  it.acquire(8);
  BOOST_TEST(it.release(5) == "forget 5, grant 6 by 2, turn 4");
  BOOST_TEST(it.release(6) == "forget 6, grant 7 by 2, turn 5");
  BOOST_TEST(it.release(7) == "delete 2, grant 8 by 3, delete 4 (3)");
}

BOOST_FIXTURE_TEST_CASE(it_is_not_cached_where_nothing_waits, hot) {
  watch();
  it.release(3);
  it.release(4);
  BOOST_TEST(it.release(5) == "delete 2, delete 3, delete 4");
}

BOOST_FIXTURE_TEST_CASE(the_next_hand_over_waits_for_the_answer_to_the_list, hot) {
  it.release(2);
  it.data_watched(2);
  it.acquire(5);
  it.release(3);
  BOOST_TEST(it.release(4) == "forget 4, delete 4");
  BOOST_TEST(it.children_listed({it.own(2, 6), it.own(3, 7), it.own(4, 8)}) ==
             "grant 5 by 2, turn 3");
}

BOOST_FIXTURE_TEST_CASE(what_waits_for_the_answer_goes_with_the_last_waiter, hot) {
  it.release(2);
  it.data_watched(2);
  it.acquire(5);
  it.release(3);
  it.release(4);
  BOOST_TEST(it.release(5) == "forget 5, delete 2, delete 3");
}

BOOST_FIXTURE_TEST_CASE(an_answer_that_shows_another_client_ends_what_waits_for_it, hot) {
  it.release(2);
  it.data_watched(2);
  it.acquire(5);
  it.release(3);
  it.release(4);
  BOOST_TEST(it.children_listed({it.own(2, 6), it.own(3, 7), it.own(4, 8), it.other(9)}) ==
             "delete 2, grant 5 by 3");
}

// Its list would cost a request for each entry.
BOOST_AUTO_TEST_CASE(a_lock_that_is_seldom_handed_over_is_not_watched) {
  subject it({.local_handoffs = 4});
  it.make_first();
  it.release(1);
  it.removed(1);
  it.acquire(2);
  it.directory_watched();
  it.created(2, 6);
  it.listed({it.own(2, 6)});
  it.acquire(3);
  it.created(3, 7);
  it.acquire(4);
  it.created(4, 8);
  BOOST_TEST(it.release(2) == "forget 2, grant 3 by 2, turn 1");
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace zklock::test

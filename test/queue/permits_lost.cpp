// Permits, and places in line for them, that are lost, or may be.
#include "permits.hpp"

#include <boost/test/unit_test.hpp>

using namespace zklock::test;
using zklock::queue::answer;

BOOST_FIXTURE_TEST_SUITE(permits_lost, of_three)

BOOST_AUTO_TEST_CASE(what_was_taken_is_found_though_its_number_is_given_out_again) {
  it.make_first();
  it.permits_listed();
  it.acquire(2);
  it.disconnected();
  it.connected();
  it.permits_listed({it.permit(1)});
  BOOST_TEST(it.listed({it.own(2, 5)}) == "inspect 2, inspect permit of 1");
  BOOST_TEST(it.inspected(1) == "grant 1");
}

BOOST_AUTO_TEST_CASE(deleted_first_entry_may_have_let_others_take_permits) {
  it.make_first();
  it.permits_listed({it.other_permit(0), it.other_permit(1), it.other_permit(2)});
  it.acquire(2);
  BOOST_TEST(it.created(2, 7) == "list");
  BOOST_TEST(it.listed({it.own(2, 7)}) == "list permits, create 3, list");
}

BOOST_AUTO_TEST_CASE(acquisition_of_a_deleted_entry_goes_before_those_that_could_not_take) {
  it.make_first();
  it.acquire(2);
  it.created(2, 6);
  it.permits_listed();
  it.taken(1, answer::no_node, true);
  BOOST_TEST(it.taken(2, answer::no_node) == "make parents");
  it.directory_made();
  it.listed({it.own(2, 6)});
  BOOST_TEST(it.permits_listed() == "take 1 for 2");
  BOOST_TEST(it.taken(2) == "grant 1 by 2");
}

BOOST_AUTO_TEST_CASE(acquisition_of_a_deleted_entry_is_requeued) {
  it.make_first();
  it.permits_listed();
  BOOST_TEST(it.taken(1, answer::no_node, true) == "create 2, list, list permits, watch directory");
}

BOOST_FIXTURE_TEST_CASE(acquisition_of_a_deleted_entry_stays_before_later_ones, nothing) {
  subject it({.max_entries = 1, .policy = zklock::queue::lock_policy::counted, .limit = 1});
  it.connected();
  it.acquire(1);
  it.acquire(2);
  it.created(1, 5);
  it.listed({it.own(1, 5)});
  BOOST_TEST(it.permits_listed() == "take 1 for 1, create 2, list, watch directory");
  it.created(2, 6);
  BOOST_TEST(it.taken(1, answer::no_node, true) == "");
  it.listed({it.own(2, 6)});
  it.permits_listed();
  BOOST_TEST(it.taken(2) == "grant 1 by 2");
}

BOOST_AUTO_TEST_CASE(what_is_left_of_several_that_were_taken_is_given_back) {
  it.make_first(many(2));
  it.permits_listed();
  it.disconnected();
  it.connected();
  it.permits_listed({it.permit(1, 1)});
  BOOST_TEST(it.listed({}) ==
             "delete 2 permits of 1, create 2, list, list permits, watch directory");
}

BOOST_AUTO_TEST_CASE(what_is_left_of_several_that_wait_to_be_told_is_given_back) {
  it.make_first(many(2));
  it.permits_listed();
  it.proven = false;
  BOOST_TEST(it.taken(1) == "confirm 1");
  BOOST_TEST(it.missing(1, {.is_permit = true}) ==
             "delete 2 permits of 1, create 2, list, list permits, watch directory");
}

BOOST_AUTO_TEST_CASE(given_up_on_the_way_and_never_taken_the_place_is_deleted_once) {
  it.make_first();
  it.permits_listed();
  it.release(1);
  it.disconnected();
  it.connected();
  it.permits_listed();
  BOOST_TEST(it.listed({it.own(1, 5)}) == "delete 1");
}

BOOST_AUTO_TEST_CASE(without_a_list_the_place_is_deleted) {
  it.make_first();
  it.permits_listed();
  it.disconnected();
  it.connected();
  it.permits_listed();
  BOOST_TEST(it.not_listed(answer::no_permission) == "delete 1, refuse 1 (no permission)");
}

BOOST_FIXTURE_TEST_CASE(without_a_list_what_was_taken_is_granted_all_the_same, nothing) {
  for (const bool answered : {true, false}) {
    subject it({.policy = zklock::queue::lock_policy::counted, .limit = 3});
    it.make_first();
    it.permits_listed();
    it.proven = false;
    if (answered) it.taken(1);
    it.disconnected();
    it.connected();
    it.permits_listed({it.permit(1)});
    if (!answered) {
      it.listed({});
      it.disconnected();
      it.connected();
      it.permits_listed({it.permit(1)});
    }
    BOOST_TEST(it.not_listed(answer::no_permission) ==
               (answered ? "confirm 1" : "inspect permit of 1"));
  }
}

BOOST_FIXTURE_TEST_CASE(a_lost_connection_leaves_open_whether_they_were_taken, nothing) {
  for (const bool done : {true, false}) {
    subject it({.policy = zklock::queue::lock_policy::counted, .limit = 3});
    it.make_first();
    it.permits_listed();
    it.disconnected();
    BOOST_TEST(it.connected() == "sync and list");
    if (done) {
      it.permits_listed({it.permit(1)});
      BOOST_TEST(it.listed({}) == "inspect permit of 1");
      BOOST_TEST(it.inspected(1) == "grant 1");
    } else {
      it.permits_listed();
      BOOST_TEST(it.listed({it.own(1, 5)}) == "list permits");
      BOOST_TEST(it.permits_listed() == "take 1 for 1");
    }
  }
}

BOOST_AUTO_TEST_CASE(what_is_left_after_a_lost_connection_is_deleted_again) {
  take(2);
  it.release(1);
  it.disconnected();
  BOOST_TEST(it.connected() == "sync and list");
  it.permits_listed({it.permit(1, 1)});
  BOOST_TEST(it.listed({}) == "delete 2 permits of 1");
}

BOOST_AUTO_TEST_CASE(a_hold_that_lacks_a_permit_is_lost) {
  take(2);
  BOOST_TEST(it.missing(1, {.is_permit = true}) == "lose 1 (deleted), delete 2 permits of 1");
}

BOOST_AUTO_TEST_CASE(a_list_that_lacks_a_permit_shows_that_it_is_gone) {
  take(3);
  it.acquire(2);
  it.created(2, 6);
  BOOST_TEST(it.listed({it.own(2, 6)}) == "");
  BOOST_TEST(it.permits_listed({it.permit(1, 0), it.permit(1, 2)}) ==
             "lose 1 (deleted), delete 3 permits of 1, take 1 for 2");
}

BOOST_AUTO_TEST_CASE(permits_that_may_not_be_listed_are_not_lost) {
  take(2);
  it.disconnected();
  it.connected();
  BOOST_TEST(it.permits_not_listed(answer::no_permission) == "");
  BOOST_TEST(it.listed({}) == "");
  BOOST_TEST(it.release(1) == "delete 2 permits of 1");
}

// The permits may have replaced the entry before the connection was lost.
BOOST_AUTO_TEST_CASE(entry_is_not_missed_before_the_list_of_the_recovery) {
  it.make_first();
  it.permits_listed();
  it.disconnected();
  it.connected();
  // Servers answer only creates with `parent_is_ephemeral`.
  for (const auto refused : {answer::failed, answer::parent_is_ephemeral}) {
    BOOST_TEST(it.not_listed(refused) == "");
    BOOST_TEST(it.missing(1) == "");
    BOOST_TEST(it.try_again() == "sync and list");
  }
}

BOOST_AUTO_TEST_CASE(a_place_in_line_that_became_permits_is_not_missed) {
  take(1);
  BOOST_TEST(it.missing(1) == "");
}

BOOST_AUTO_TEST_SUITE_END()

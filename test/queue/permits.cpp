// A semaphore: permits replace the first in line.
#include "permits.hpp"

#include <boost/test/unit_test.hpp>

using namespace zklock::test;
using zklock::queue::answer;

BOOST_FIXTURE_TEST_SUITE(permits, of_three)

BOOST_AUTO_TEST_CASE(permits_replace_the_first_entry_where_enough_are_free) {
  it.connected();
  BOOST_TEST(it.acquire(1, many(2)) == "make directory, create 1, list, list permits");
  it.created(1, 5);
  BOOST_TEST(it.listed({it.own(1, 5)}) == "");
  BOOST_TEST(it.permits_listed({it.other_permit(1)}) == "take 2 for 1");
  BOOST_TEST(it.taken(1) == "grant 1");
  BOOST_TEST(it.release(1) == "delete 2 permits of 1");
  BOOST_TEST(it.removed(1) == "forget 1");
  BOOST_TEST(it.empty());
}

BOOST_AUTO_TEST_CASE(acquisition_gets_all_permits_or_none_and_is_not_overtaken) {
  it.connected();
  it.acquire(1, many(3));
  it.acquire(2);
  it.created(1, 5);
  it.listed({it.own(1, 5)});
  it.created(2, 6);
  BOOST_TEST(it.permits_listed({it.other_permit(1)}) == "");
  BOOST_TEST(it.permits_changed() == "list permits");
  BOOST_TEST(it.permits_listed() == "take 3 for 1");
  BOOST_TEST(it.taken(1) == "grant 1");
  BOOST_TEST(it.permits_changed() == "list permits");
  BOOST_TEST(it.permits_listed({it.permit(1, 0), it.permit(1, 1), it.permit(1, 2)}) == "");
  BOOST_TEST(it.release(1) == "delete 3 permits of 1, take 1 for 2");
}

BOOST_AUTO_TEST_CASE(those_behind_do_not_wait_for_the_answer_of_the_one_before) {
  it.connected();
  it.acquire(1);
  it.acquire(2);
  it.created(1, 5);
  it.listed({it.own(1, 5)});
  it.created(2, 6);
  BOOST_TEST(it.permits_listed() == "take 1 for 1, take 1 for 2");
  BOOST_TEST(it.taken(1) == "grant 1");
  BOOST_TEST(it.taken(2) == "grant 2");
}

// A node that was made by hand, or that a single server has, can have the number of an entry.
BOOST_AUTO_TEST_CASE(entry_of_another_client_with_the_same_number_is_not_before) {
  it.connected();
  it.acquire(1);
  it.created(1, 5);
  BOOST_TEST(it.listed({it.other(5), it.own(1, 5)}) == "");
  BOOST_TEST(it.permits_listed() == "take 1 for 1");
}

BOOST_AUTO_TEST_CASE(what_was_listed_while_others_were_first_does_not_count) {
  it.connected();
  it.acquire(1);
  it.created(1, 6);
  BOOST_TEST(it.listed({it.other(5), it.own(1, 6)}) == "watch 5");
  BOOST_TEST(it.permits_listed() == "");
  BOOST_TEST(it.deleted(5) == "list permits");
  BOOST_TEST(it.permits_listed({it.other_permit(0), it.other_permit(1), it.other_permit(2)}) == "");
}

BOOST_AUTO_TEST_CASE(entry_that_leaves_behind_a_deleted_one_may_have_taken_permits) {
  it.connected();
  it.acquire(1);
  it.created(1, 5);
  it.acquire(2);
  it.created(2, 7);
  it.listed({it.own(1, 5), it.other(6), it.own(2, 7)});
  BOOST_TEST(it.permits_listed() == "take 1 for 1");
  BOOST_TEST(it.deleted(6) == "list permits");
}

BOOST_AUTO_TEST_CASE(a_try_of_what_is_taken_writes_nothing) {
  it.connected();
  BOOST_TEST(it.try_acquire(1, many(2)) == "list permits");
  BOOST_TEST(it.permits_listed({it.other_permit(0), it.other_permit(1)}) == "refuse 1 (busy)");
  BOOST_TEST(it.try_acquire(2) == "list permits");
  BOOST_TEST(it.permits_listed({it.other_permit(0), it.other_permit(1)}) ==
             "make directory, create 1, list, list permits");
  it.created(1, 5);
  BOOST_TEST(it.listed({it.own(1, 5)}) == "");
  BOOST_TEST(it.permits_listed({it.other_permit(0), it.other_permit(1), it.other_permit(2)}) ==
             "refuse 2 (busy), delete 1");
}

// The answer to the first try asks for the next list, which the second waits for.
BOOST_AUTO_TEST_CASE(try_is_not_answered_by_a_list_that_was_asked_for_before_it) {
  it.connected();
  BOOST_TEST(it.try_acquire(1) == "list permits");
  BOOST_TEST(it.try_acquire(2) == "");
  BOOST_TEST(it.permits_listed({it.other_permit(0), it.other_permit(1)}) ==
             "make directory, create 1, list, list permits");
  it.created(1, 0);
  it.listed({it.own(1, 0)});
  BOOST_TEST(it.permits_listed() == "create 2, watch directory, take 1 for 1");
}

BOOST_AUTO_TEST_CASE(a_missing_directory_of_permits_is_made) {
  it.make_first();
  it.permits_listed();
  BOOST_TEST(it.taken(1, answer::no_node) == "make parents");
  BOOST_TEST(it.directory_made() == "list");
  BOOST_TEST(it.listed({it.own(1, 5)}) == "list permits");
  BOOST_TEST(it.permits_listed() == "take 1 for 1");
}

BOOST_AUTO_TEST_CASE(once_the_place_is_left_the_directory_may_be_another_one) {
  take(1);
  BOOST_TEST(it.acquire(2) == "create 2, list, list permits, watch directory");
}

BOOST_AUTO_TEST_CASE(given_up_on_the_way_the_permits_are_given_back) {
  it.make_first();
  it.permits_listed();
  BOOST_TEST(it.release(1) == "forget 1");
  BOOST_TEST(it.taken(1) == "delete 1 permit of 1");
  BOOST_TEST(it.removed(1) == "");
}

BOOST_AUTO_TEST_CASE(a_try_given_up_before_it_is_told_deletes_its_permits) {
  it.connected();
  it.try_acquire(1);
  it.permits_listed();
  it.created(1, 5);
  it.listed({it.own(1, 5)});
  it.permits_listed();
  it.proven = false;
  BOOST_TEST(it.taken(1) == "confirm 1");
  BOOST_TEST(it.release(1) == "forget 1, delete 1 permit of 1");
  BOOST_TEST(it.confirmed() == "");
  BOOST_TEST(it.removed(1) == "");
  BOOST_TEST(it.empty());
}

// Each has room for all permits that it wants from the create on.
BOOST_FIXTURE_TEST_CASE(those_without_room_for_all_their_permits_are_not_in_line, nothing) {
  subject it({.entry_bytes = 100, .policy = zklock::queue::lock_policy::counted, .limit = 3}, 300);
  it.connected();
  it.acquire(1, many(2));
  BOOST_TEST(it.acquire(2, many(2)) == "");
  BOOST_TEST(it.starved());
  it.created(1, 5);
  it.listed({it.own(1, 5)});
  BOOST_TEST(it.permits_listed() == "take 2 for 1");
  BOOST_TEST(it.taken(1) == "grant 1");
  BOOST_TEST(it.release(1) == "delete 2 permits of 1");
  BOOST_TEST(it.removed(1) == "forget 1, create 2, list, list permits, watch directory");
}

// Its own entry was deleted by others, and the next entry was created for a single permit.
BOOST_FIXTURE_TEST_CASE(first_whose_entry_is_gone_keeps_the_room_for_its_permits, nothing) {
  subject it({.entry_bytes = 100, .policy = zklock::queue::lock_policy::counted, .limit = 3}, 400);
  it.connected();
  it.acquire(1, many(3));
  it.acquire(2);
  it.created(1, 5);
  it.created(2, 6);
  it.listed({it.own(1, 5), it.own(2, 6)});
  BOOST_TEST(it.missing(1) == "create 3, list");
  it.take_room(100);
  it.listed({it.own(2, 6)});
  BOOST_TEST(it.permits_listed() == "take 3 for 2");
}

BOOST_AUTO_TEST_SUITE_END()

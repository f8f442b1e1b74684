// Which entries are before the own entry, and how the lock passes from entry to entry.

#include "subject.hpp"

#include <boost/test/unit_test.hpp>

#include <string>
#include <vector>

namespace zklock::test {

BOOST_AUTO_TEST_SUITE(queue_line, *boost::unit_test::timeout(30))

namespace {

// The own entry 1 has the number 100; `others` entries of other clients are before it, up to number
// 99.
void line_up_behind(subject& it, queue::sequence others) {
  it.connected();
  it.acquire(1);
  it.created(1, 100);
  std::vector<std::string> names{it.own(1, 100)};
  for (queue::sequence number = 100 - others; number < 100; ++number)
    names.push_back(it.other(number));
  it.listed(names);
}

} // namespace

BOOST_AUTO_TEST_CASE(a_release_grants_the_next_of_ours_at_once) {
  subject it;
  it.make_first();
  it.acquire(2);
  it.acquire(3);
  BOOST_TEST(it.created(2, 6) == "");
  BOOST_TEST(it.created(3, 7) == "");
  BOOST_TEST(it.release(1) == "delete 1 (2), grant 2");
  BOOST_TEST(it.removed(1) == "forget 1");
  BOOST_TEST(it.release(2) == "delete 2 (3), grant 3");
}

BOOST_AUTO_TEST_CASE(one_of_others_before_us_is_watched) {
  subject it;
  it.connected();
  it.acquire(1);
  it.created(1, 5);
  BOOST_TEST(it.listed({it.other(4), it.own(1, 5), "config", it.other(6)}) == "watch 4");
  BOOST_TEST(it.watched(4) == "");
  BOOST_TEST(it.deleted(4) == "grant 1");
}

BOOST_AUTO_TEST_CASE(an_entry_with_a_negative_number_is_watched) {
  for (const queue::sequence number : std::vector<queue::sequence>{-1, -2, -2147483648}) {
    subject it;
    it.connected();
    it.acquire(1);
    BOOST_TEST(it.created(1, 1) == "");
    BOOST_TEST(it.listed({it.other(number), it.own(1, 1)}, 2) == "watch " + std::to_string(number));
    BOOST_TEST(it.deleted(number) == "grant 1");
  }
}

BOOST_AUTO_TEST_CASE(a_negative_number_ends_no_hold) {
  subject it;
  it.make_first();
  it.acquire(2);
  BOOST_TEST(it.created(2, -2147483648) == "refuse 2 (exhausted), delete 2");
  BOOST_TEST(it.release(1) == "delete 1");
}

BOOST_AUTO_TEST_CASE(a_number_that_was_not_given_out_makes_no_new_directory) {
  subject it;
  it.connected();
  it.acquire(1);
  it.created(1, 1);
  BOOST_TEST(it.listed({it.own(1, 1), it.other(2024010100)}, 2) == "grant 1");
  it.acquire(2);
  BOOST_TEST(it.created(2, 2) == "");
  BOOST_TEST(it.release(1) == "delete 1 (2), grant 2");
}

BOOST_AUTO_TEST_CASE(an_entry_is_behind_a_child_whose_number_was_reached) {
  subject it;
  it.connected();
  it.acquire(1);
  it.created(1, 1);
  it.listed({it.own(1, 1), it.other(3)}, 2);
  it.acquire(2);
  it.acquire(3);
  it.created(2, 2);
  BOOST_TEST(it.created(3, 3) == "");
  it.acquire(4);
  BOOST_TEST(it.release(1) == "delete 1 (2), grant 2");
  BOOST_TEST(it.release(2) == "delete 2 (3), grant 3");
  BOOST_TEST(it.created(4, 4) == "watch 3");
  BOOST_TEST(it.release(3) == "delete 3");
  BOOST_TEST(it.deleted(3) == "grant 4");
}

BOOST_AUTO_TEST_CASE(predecessor_that_left_before_it_was_watched_is_gone) {
  subject it;
  line_up_behind(it, 1);
  BOOST_TEST(it.watched(99, queue::answer::no_node) == "grant 1");
}

BOOST_AUTO_TEST_CASE(new_data_is_no_deletion) {
  subject it;
  line_up_behind(it, 1);
  it.watched(99);
  BOOST_TEST(it.changed(99) == "watch 99");
  BOOST_TEST(it.deleted(99) == "grant 1");
}

BOOST_AUTO_TEST_CASE(others_between_two_of_ours_are_watched_ahead_of_time) {
  subject it;
  it.make_first();
  it.acquire(2);
  it.created(2, 8);
  BOOST_TEST(it.listed({it.own(1, 5), it.other(6), it.other(7), it.own(2, 8)}) ==
             "watch 7, watch 6");
  BOOST_TEST(it.release(1) == "delete 1");
  BOOST_TEST(it.deleted(6) == "");
  BOOST_TEST(it.deleted(7) == "grant 2");
}

BOOST_AUTO_TEST_CASE(the_two_nearest_are_watched) {
  subject it;
  it.connected();
  it.acquire(1);
  it.created(1, 100);
  std::vector<std::string> names{it.own(1, 100)};
  for (queue::sequence number = 80; number < 100; ++number)
    names.push_back(it.other(number));
  BOOST_TEST(it.listed(names) == "watch 99, watch 98");
}

BOOST_AUTO_TEST_CASE(list_verifies_predecessors_when_one_watch_is_left) {
  subject it;
  line_up_behind(it, 12);
  BOOST_TEST(it.deleted(98) == "list");
  BOOST_TEST(it.listed({it.own(1, 100), it.other(99)}) == "");
  BOOST_TEST(it.deleted(99) == "grant 1");
}

BOOST_AUTO_TEST_CASE(predecessor_that_list_shows_is_watched) {
  subject it;
  line_up_behind(it, 12);
  it.deleted(98);
  BOOST_TEST(it.listed({it.own(1, 100), it.other(99), it.other(90)}) == "watch 90");
  BOOST_TEST(it.deleted(99) == "");
  BOOST_TEST(it.deleted(90) == "grant 1");
}

BOOST_AUTO_TEST_CASE(a_watch_that_was_refused_is_asked_for_again) {
  subject it;
  line_up_behind(it, 1);
  BOOST_TEST(it.watched(99, queue::answer::no_permission) == "refuse 1 (no permission), delete 1");
  it.removed(1);
  it.acquire(2);
  BOOST_TEST(it.created(2, 101) == "");
  BOOST_TEST(it.listed({it.other(99), it.own(2, 101)}) == "watch 99");
}

BOOST_AUTO_TEST_CASE(acquisition_is_in_line_once_its_create_is_answered) {
  subject it;
  it.acquire(1);
  BOOST_TEST(!it.in_line());
  it.connected();
  BOOST_TEST(!it.in_line());
  it.created(1, 6);
  BOOST_TEST(it.in_line());
  it.listed({it.other(5), it.own(1, 6)});
  it.disconnected();
  BOOST_TEST(it.in_line());
  it.expired();
  BOOST_TEST(!it.in_line());
}

BOOST_AUTO_TEST_CASE(acquisition_without_an_entry_is_in_line_behind_one_of_ours) {
  subject it({.max_entries = 1});
  it.connected();
  it.acquire(1);
  it.acquire(2);
  BOOST_TEST(!it.in_line());
  it.created(1, 6);
  BOOST_TEST(it.in_line());
}

BOOST_AUTO_TEST_CASE(nothing_is_granted_that_is_not_proven) {
  subject it;
  it.make_first();
  it.acquire(2);
  it.created(2, 6);
  it.proven = false;
  BOOST_TEST(it.release(1) == "delete 1, confirm 2");
  BOOST_TEST(it.removed(1) == "forget 1");
  it.proven = true;
  BOOST_TEST(it.confirmed() == "grant 2");
}

// Nothing told that the entry exists since it got in line.
BOOST_AUTO_TEST_CASE(entry_that_waited_for_proof_is_checked_whatever_lets_it_hold) {
  subject it;
  it.make_first();
  it.acquire(2);
  it.created(2, 6);
  it.proven = false;
  BOOST_TEST(it.release(1) == "delete 1, confirm 2");
  it.proven = true;
  BOOST_TEST(it.refill() == "grant 2, check (2)");
}

BOOST_AUTO_TEST_CASE(holder_is_confirmed_once_at_a_time_and_only_with_a_connection) {
  subject it;
  it.make_first();
  BOOST_TEST(it.prove(1) == "confirm 1");
  BOOST_TEST(it.prove(1) == "");
  BOOST_TEST(it.confirmed() == "");
  BOOST_TEST(it.prove(2) == "");
  it.disconnected();
  BOOST_TEST(it.prove(1) == "");
  it.connected();
  BOOST_TEST(it.prove(1) == "");
}

BOOST_AUTO_TEST_CASE(acquisition_without_a_node_when_confirmed_is_requeued) {
  subject it;
  it.connected();
  it.acquire(1);
  it.proven = false;
  BOOST_TEST(it.created(1, 0) == "confirm 1");
  it.listed({it.own(1, 0)});
  BOOST_TEST(it.missing(1) == "create 2, list, watch directory");
}

BOOST_AUTO_TEST_CASE(window_bounds_entries_in_line) {
  subject it({.max_entries = 2});
  it.connected();
  BOOST_TEST(it.acquire(1) == "make directory, create 1, list");
  BOOST_TEST(it.acquire(2) == "create 2, watch directory");
  BOOST_TEST(it.acquire(3) == "");
  BOOST_TEST(it.created(1, 0) == "grant 1, create 3");
  BOOST_TEST(it.acquire(4) == "");
  BOOST_TEST(it.release(3) == "forget 3");
  BOOST_TEST(it.created(2, 1) == "");
  BOOST_TEST(it.created(3, 2) == "delete 3, create 4");
}

BOOST_AUTO_TEST_CASE(acquisition_waits_when_the_budget_is_used_up) {
  subject it({.entry_bytes = 100}, 100);
  it.make_first();
  BOOST_TEST(it.acquire(2) == "");
  BOOST_TEST(it.starved());
  // A held entry is released some time.
  BOOST_TEST(!it.claims_room());
  BOOST_TEST(it.refill() == "");
  BOOST_TEST(it.release(1) == "delete 1");
  BOOST_TEST(it.removed(1) == "forget 1, create 2, list, watch directory");
  BOOST_TEST(!it.starved());
}

BOOST_AUTO_TEST_CASE(those_in_line_make_room_but_for_the_first) {
  subject it;
  it.connected();
  it.acquire(1);
  it.acquire(2);
  it.created(1, 6);
  it.listed({it.other(5), it.own(1, 6)});
  it.created(2, 7);
  BOOST_TEST(it.drop_surplus() == "delete 2");
  BOOST_TEST(it.removed(2) == "create 3");
  BOOST_TEST(it.drop_surplus() == "");
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace zklock::test

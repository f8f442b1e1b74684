// A semaphore: who is first in line takes permits.
#include "subject.hpp"

#include <boost/test/unit_test.hpp>

using namespace zklock::test;
using zklock::queue::answer;
using zklock::queue::demand;
using zklock::queue::settings;

namespace {

constexpr demand many(std::uint32_t permits) {
  return {.permits = permits};
}

struct of_three {
  subject it{{.counted = true, .limit = 3}};

  /// Claim 1 has so many permits by entry 1.
  void take(std::uint32_t permits) {
    it.connected();
    it.acquire(1, many(permits));
    it.created(1, 5);
    it.listed({it.own(1, 5)});
    it.permits_listed();
    it.taken(1);
  }
};

struct nothing {};

} // namespace

BOOST_FIXTURE_TEST_SUITE(permits, of_three)

BOOST_AUTO_TEST_CASE(who_is_first_takes_what_is_free_and_is_in_line_no_longer) {
  it.connected();
  BOOST_TEST(it.acquire(1, many(2)) == "make directory, create 1, list, list permits");
  it.created(1, 5);
  BOOST_TEST(it.listed({it.own(1, 5)}) == "");
  BOOST_TEST(it.permits_listed({it.other_permit(1)}) == "take 2 for 1");
  BOOST_TEST(it.taken(1) == "grant 1");
  BOOST_TEST(it.release(1) == "give back 2 of 1");
  BOOST_TEST(it.removed(1) == "forget 1");
  BOOST_TEST(it.empty());
}

BOOST_AUTO_TEST_CASE(who_does_not_get_all_gets_none_and_nobody_overtakes_him) {
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
  BOOST_TEST(it.release(1) == "give back 3 of 1, take 1 for 2");
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

BOOST_AUTO_TEST_CASE(what_was_listed_while_others_were_first_does_not_count) {
  it.connected();
  it.acquire(1);
  it.created(1, 6);
  BOOST_TEST(it.listed({it.other(5), it.own(1, 6)}) == "watch 5");
  BOOST_TEST(it.permits_listed() == "");
  BOOST_TEST(it.deleted(5) == "list permits");
  BOOST_TEST(it.permits_listed({it.other_permit(0), it.other_permit(1), it.other_permit(2)}) == "");
}

BOOST_AUTO_TEST_CASE(who_leaves_behind_one_that_is_robbed_may_have_taken_permits) {
  it.connected();
  it.acquire(1);
  it.created(1, 5);
  it.acquire(2);
  it.created(2, 7);
  it.listed({it.own(1, 5), it.other(6), it.own(2, 7)});
  BOOST_TEST(it.permits_listed() == "take 1 for 1");
  BOOST_TEST(it.deleted(6) == "list permits");
}

BOOST_AUTO_TEST_CASE(a_try_given_up_before_it_is_told_gives_back_what_was_taken) {
  it.connected();
  it.try_acquire(1);
  it.permits_listed();
  it.created(1, 5);
  it.listed({it.own(1, 5)});
  it.permits_listed();
  it.proven = false;
  BOOST_TEST(it.taken(1) == "confirm 1");
  BOOST_TEST(it.release(1) == "give back 1 of 1");
  BOOST_TEST(it.confirmed() == "");
  BOOST_TEST(it.removed(1) == "forget 1");
  BOOST_TEST(it.empty());
}

BOOST_AUTO_TEST_CASE(what_was_taken_is_found_though_its_number_is_given_out_again) {
  it.connected();
  it.acquire(1);
  it.created(1, 5);
  it.listed({it.own(1, 5)});
  it.permits_listed();
  it.acquire(2);
  it.disconnected();
  it.connected();
  it.permits_listed({it.permit(1)});
  BOOST_TEST(it.listed({it.own(2, 5)}) == "inspect 2, inspect permit of 1");
  BOOST_TEST(it.inspected(1) == "grant 1");
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

BOOST_AUTO_TEST_CASE(more_than_there_are_is_refused) {
  it.connected();
  BOOST_TEST(it.acquire(1, many(4)) == "refuse 1 (too many)");
  BOOST_TEST(it.try_acquire(2, many(4)) == "refuse 2 (too many)");
  BOOST_TEST(it.empty());
}

BOOST_AUTO_TEST_CASE(a_missing_directory_of_permits_is_made) {
  it.connected();
  it.acquire(1);
  it.created(1, 5);
  it.listed({it.own(1, 5)});
  it.permits_listed();
  BOOST_TEST(it.taken(1, answer::no_node) == "make parents");
  BOOST_TEST(it.directory_made() == "list");
  BOOST_TEST(it.listed({it.own(1, 5)}) == "list permits");
  BOOST_TEST(it.permits_listed() == "take 1 for 1");
}

BOOST_AUTO_TEST_CASE(who_is_robbed_of_his_place_waits_again) {
  it.connected();
  it.acquire(1);
  it.created(1, 5);
  it.listed({it.own(1, 5)});
  it.permits_listed();
  BOOST_TEST(it.taken(1, answer::no_node, true) == "create 2, list, list permits, watch directory");
}

BOOST_FIXTURE_TEST_CASE(who_is_robbed_of_his_place_is_still_before_those_who_came_later, nothing) {
  subject it({.window = 1, .counted = true, .limit = 1});
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

BOOST_AUTO_TEST_CASE(once_the_place_is_left_the_directory_may_be_another_one) {
  take(1);
  BOOST_TEST(it.acquire(2) == "create 2, list, list permits, watch directory");
}

BOOST_AUTO_TEST_CASE(what_is_left_of_several_that_were_taken_is_given_back) {
  it.connected();
  it.acquire(1, many(2));
  it.created(1, 5);
  it.listed({it.own(1, 5)});
  it.permits_listed();
  it.disconnected();
  it.connected();
  it.permits_listed({it.permit(1, 1)});
  BOOST_TEST(it.listed({}) == "give back 2 of 1, create 2, list, list permits, watch directory");
}

BOOST_AUTO_TEST_CASE(what_is_left_of_several_that_wait_to_be_told_is_given_back) {
  it.connected();
  it.acquire(1, many(2));
  it.created(1, 5);
  it.listed({it.own(1, 5)});
  it.permits_listed();
  it.proven = false;
  BOOST_TEST(it.taken(1) == "confirm 1");
  BOOST_TEST(it.missing(1, {.is_permit = true}) ==
             "give back 2 of 1, create 2, list, list permits, watch directory");
}

BOOST_AUTO_TEST_CASE(given_up_on_the_way_the_permits_are_given_back) {
  it.connected();
  it.acquire(1);
  it.created(1, 5);
  it.listed({it.own(1, 5)});
  it.permits_listed();
  BOOST_TEST(it.release(1) == "");
  BOOST_TEST(it.taken(1) == "give back 1 of 1");
  BOOST_TEST(it.removed(1) == "forget 1");
}

BOOST_AUTO_TEST_CASE(given_up_on_the_way_and_never_taken_the_place_is_deleted_once) {
  it.connected();
  it.acquire(1);
  it.created(1, 5);
  it.listed({it.own(1, 5)});
  it.permits_listed();
  it.release(1);
  it.disconnected();
  it.connected();
  it.permits_listed();
  BOOST_TEST(it.listed({it.own(1, 5)}) == "delete 1");
}

BOOST_AUTO_TEST_CASE(without_a_list_the_place_is_deleted) {
  it.connected();
  it.acquire(1);
  it.created(1, 5);
  it.listed({it.own(1, 5)});
  it.permits_listed();
  it.disconnected();
  it.connected();
  it.permits_listed();
  BOOST_TEST(it.not_listed(answer::no_permission) == "delete 1, refuse 1 (no permission)");
}

BOOST_FIXTURE_TEST_CASE(without_a_list_what_was_taken_is_granted_all_the_same, nothing) {
  for (const bool answered : {true, false}) {
    subject it({.counted = true, .limit = 3});
    it.connected();
    it.acquire(1);
    it.created(1, 5);
    it.listed({it.own(1, 5)});
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
    subject it({.counted = true, .limit = 3});
    it.connected();
    it.acquire(1);
    it.created(1, 5);
    it.listed({it.own(1, 5)});
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
  BOOST_TEST(it.listed({}) == "give back 2 of 1");
}

BOOST_AUTO_TEST_CASE(a_hold_that_lacks_a_permit_is_lost) {
  take(2);
  BOOST_TEST(it.missing(1, {.is_permit = true}) == "lose 1 (deleted), give back 2 of 1");
}

BOOST_AUTO_TEST_CASE(a_list_that_lacks_a_permit_shows_that_it_is_gone) {
  take(3);
  it.acquire(2);
  it.created(2, 6);
  BOOST_TEST(it.listed({it.own(2, 6)}) == "");
  BOOST_TEST(it.permits_listed({it.permit(1, 0), it.permit(1, 2)}) ==
             "lose 1 (deleted), give back 3 of 1, take 1 for 2");
}

BOOST_FIXTURE_TEST_CASE(who_tries_does_not_wait_for_one_who_lacks_what_he_has, nothing) {
  subject it({.entry_bytes = 100, .counted = true, .limit = 3}, 300);
  it.connected();
  it.acquire(1, many(3));
  it.try_acquire(2);
  BOOST_TEST(it.permits_listed() == "list permits");
  it.permits_listed();
  it.created(1, 5);
  it.listed({it.own(1, 5)});
  BOOST_TEST(it.permits_listed() == "");
  BOOST_TEST(it.starved());
  BOOST_TEST(it.created(2, 6) == "refuse 2 (busy), delete 2");
  BOOST_TEST(it.removed(2) == "");
  BOOST_TEST(it.refill() == "take 3 for 1");
}

BOOST_FIXTURE_TEST_CASE(who_tries_does_not_wait_to_know_who_is_before_him_where_nobody_can_take,
                        nothing) {
  subject it({.entry_bytes = 100, .counted = true, .limit = 3}, 300);
  it.connected();
  it.acquire(1, many(3));
  it.try_acquire(2);
  BOOST_TEST(it.permits_listed() == "list permits");
  it.permits_listed();
  it.created(1, 5);
  it.listed({it.own(1, 5)});
  BOOST_TEST(it.permits_listed() == "");
  BOOST_TEST(it.starved());
  BOOST_TEST(it.created(2, 9) == "refuse 2 (busy), delete 2");
  BOOST_TEST(it.removed(2) == "");
  BOOST_TEST(it.refill() == "take 3 for 1");
}

// Each has an entry for 100 bytes, and the first wants two permits more than that.
BOOST_FIXTURE_TEST_CASE(those_behind_make_room_for_the_permits_of_the_first, nothing) {
  subject it({.entry_bytes = 100, .counted = true, .limit = 3}, 300);
  it.connected();
  it.acquire(1, many(3));
  it.acquire(2);
  it.acquire(3);
  it.created(1, 5);
  it.listed({it.own(1, 5)});
  it.created(2, 6);
  it.created(3, 7);
  BOOST_TEST(it.permits_listed() == "delete 3");
  BOOST_TEST(it.removed(3) == "");
  BOOST_TEST(it.refill() == "delete 2");
  BOOST_TEST(it.removed(2) == "");
  BOOST_TEST(it.refill() == "take 3 for 1");
  BOOST_TEST(it.taken(1) == "grant 1");
  BOOST_TEST(it.release(1) == "give back 3 of 1");
  BOOST_TEST(it.removed(1) == "forget 1, create 4, list permits, create 5");
}

BOOST_AUTO_TEST_CASE(permits_that_may_not_be_listed_are_not_lost) {
  take(2);
  it.disconnected();
  it.connected();
  BOOST_TEST(it.permits_not_listed(answer::no_permission) == "");
  BOOST_TEST(it.listed({}) == "");
  BOOST_TEST(it.release(1) == "give back 2 of 1");
}

BOOST_AUTO_TEST_CASE(a_place_in_line_that_became_permits_is_not_missed) {
  take(1);
  BOOST_TEST(it.missing(1) == "");
}

BOOST_FIXTURE_TEST_CASE(the_limit_is_asked_for_and_may_change, nothing) {
  subject it({.counted = true});
  it.connected();
  BOOST_TEST(it.acquire(1, many(5)) == "ask limit, make directory, create 1, list, list permits");
  it.acquire(2);
  it.created(1, 5);
  BOOST_TEST(it.listed({it.own(1, 5)}) == "");
  it.created(2, 6);
  BOOST_TEST(it.limited(2) == "refuse 1 (too many), delete 1");
  BOOST_TEST(it.permits_listed({it.other_permit(0), it.other_permit(1)}) == "");
  BOOST_TEST(it.limit_changed() == "ask limit");
  BOOST_TEST(it.limited(3) == "take 1 for 2");
}

BOOST_FIXTURE_TEST_CASE(a_limit_that_may_have_changed_lets_nobody_in, nothing) {
  subject it({.counted = true});
  it.connected();
  it.acquire(1, many(2));
  it.created(1, 5);
  it.listed({it.own(1, 5)});
  it.limited(2);
  BOOST_TEST(it.limit_changed() == "ask limit");
  BOOST_TEST(it.permits_listed() == "");
  it.disconnected();
  BOOST_TEST(it.connected() == "sync and list");
  it.permits_listed();
  BOOST_TEST(it.listed({it.own(1, 5)}) == "ask limit");
  // Who asked for as many as there were waits until there are again.
  BOOST_TEST(it.limited(1) == "list permits");
  BOOST_TEST(it.permits_listed() == "");
  BOOST_TEST(it.limit_changed() == "ask limit");
  BOOST_TEST(it.limited(2) == "take 2 for 1");
}

BOOST_FIXTURE_TEST_CASE(rubbish_is_no_limit, nothing) {
  subject it({.counted = true});
  it.connected();
  it.acquire(1);
  it.created(1, 5);
  it.listed({it.own(1, 5)});
  BOOST_TEST(it.limited({}) == "refuse 1 (bad limit), delete 1");
}

BOOST_AUTO_TEST_SUITE_END()

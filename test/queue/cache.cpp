// An entry is cached for the next acquisition while no other client wants the lock.
#include "cache.hpp"

#include <boost/test/unit_test.hpp>

namespace zklock::test {

BOOST_FIXTURE_TEST_SUITE(queue_cache, caching, *boost::unit_test::timeout(30))

using queue::answer;

BOOST_AUTO_TEST_CASE(the_second_use_in_a_row_is_cached) {
  it.make_first();
  BOOST_TEST(it.release(1) == "delete 1");
  it.removed(1);
  it.acquire(2);
  it.created(2, 6);
  BOOST_TEST(it.listed({it.own(2, 6)}) == "grant 2, watch data 2, list and watch");
  BOOST_TEST(it.children_listed({it.own(2, 6)}) == "");
  BOOST_TEST(it.release(2) == "forget 2");
  BOOST_TEST(it.cached() == 1U);
}

BOOST_AUTO_TEST_CASE(a_cached_entry_is_granted_without_a_request) {
  cache_one();
  for (acquisition_id id = 3; id != 10; ++id) {
    BOOST_TEST(it.acquire(id) ==
               "grant " + std::to_string(id) + " by 2, turn " + std::to_string(id - 2));
    BOOST_TEST(it.release(id) == "forget " + std::to_string(id));
  }
}

BOOST_AUTO_TEST_CASE(without_the_cache_no_entry_is_cached) {
  caching off(queue::settings{});
  off.it.make_first();
  off.it.release(1);
  off.it.removed(1);
  off.it.acquire(2);
  off.it.created(2, 6);
  BOOST_TEST(off.it.listed({off.it.own(2, 6)}) == "grant 2");
  BOOST_TEST(off.it.release(2) == "delete 2");
}

BOOST_AUTO_TEST_CASE(an_acquisition_can_leave_it_out) {
  use_twice();
  BOOST_TEST(it.release(2, false) == "delete 2");
  BOOST_TEST(it.cached() == 0U);
}

BOOST_AUTO_TEST_CASE(acquisitions_that_leave_it_out_ask_for_no_watch) {
  it.make_first();
  BOOST_TEST(it.release(1, false) == "delete 1");
  it.removed(1);
  BOOST_TEST(it.acquire(2) == "create 2, list, watch directory");
  it.created(2, 6);
  BOOST_TEST(it.listed({it.own(2, 6)}) == "grant 2");
  it.directory_watched();
  BOOST_TEST(it.release(2, false) == "delete 2");
  it.removed(2);
  BOOST_TEST(it.acquire(3) == "create 3");
  BOOST_TEST(it.created(3, 7) == "grant 3");
  BOOST_TEST(it.release(3) == "delete 3");
  it.removed(3);
  it.acquire(4);
  BOOST_TEST(it.created(4, 8) == "grant 4, watch data 4, list and watch");
}

BOOST_AUTO_TEST_CASE(those_that_wait_here_need_no_entry) {
  use_twice();
  BOOST_TEST(it.acquire(3) == "");
  BOOST_TEST(it.acquire(4) == "");
  BOOST_TEST(it.release(2) == "forget 2, grant 3 by 2, turn 1");
  BOOST_TEST(it.release(3) == "forget 3, grant 4 by 2, turn 2");
  BOOST_TEST(it.release(4) == "forget 4");
  BOOST_TEST(it.cached() == 1U);
}

BOOST_AUTO_TEST_CASE(nothing_is_granted_before_the_list_is_here) {
  begin_second_use();
  BOOST_TEST(it.release(2) == "forget 2");
  BOOST_TEST(it.acquire(3) == "");
  BOOST_TEST(it.data_watched(2) == "");
  BOOST_TEST(it.children_listed({it.own(2, 6)}) == "grant 3 by 2, turn 1");
}

BOOST_FIXTURE_TEST_CASE(nothing_changes_the_line_while_it_is_asked_for, line_of_three) {
  BOOST_TEST(it.release(1) == "delete 1 (2), grant 2, watch data 2, list and watch");
  BOOST_TEST(it.acquire(4) == "");
  BOOST_TEST(it.release(2) == "forget 2");
  BOOST_TEST(it.acquire(5) == "");
  it.removed(1);
  it.data_watched(2);
  BOOST_TEST(it.children_listed({it.own(2, 6), it.own(3, 7)}) == "grant 3 by 2, turn 1");
  BOOST_TEST(it.release(3) == "forget 3, grant 4 by 2, turn 2");
  BOOST_TEST(it.release(4) == "forget 4, grant 5 by 2, turn 3");
  BOOST_TEST(it.release(5) == "forget 5, delete 3");
  BOOST_TEST(it.cached() == 1U);
}

BOOST_FIXTURE_TEST_CASE(those_that_waited_for_the_answer_go_on_beside_another_client,
                        line_of_three) {
  it.release(1);
  it.acquire(4);
  it.release(2);
  it.removed(1);
  BOOST_TEST(it.children_listed({it.own(2, 6), it.own(3, 7), it.other(8)}) ==
             "delete 2, grant 3, create 4");
}

BOOST_FIXTURE_TEST_CASE(those_that_waited_for_the_answer_go_on_without_it, line_of_three) {
  it.release(1);
  it.acquire(4);
  it.release(2);
  it.removed(1);
  BOOST_TEST(it.children_not_listed(answer::no_permission) == "delete 2 (3), grant 3, create 4");
}

BOOST_AUTO_TEST_CASE(it_is_given_up_where_the_list_shows_another_client) {
  begin_second_use();
  it.release(2);
  it.acquire(3);
  BOOST_TEST(it.children_listed({it.own(2, 6), it.other(7)}) == "delete 2, create 3");
}

BOOST_AUTO_TEST_CASE(nothing_is_granted_after_the_event) {
  cache_one();
  BOOST_TEST(it.children_changed() == "delete 2");
  BOOST_TEST(it.acquire(3) == "create 3");
  // It is used as any other lock until it was acquired twice in a row again.
  it.removed(2);
  BOOST_TEST(it.created(3, 8) == "list");
  BOOST_TEST(it.listed({it.other(7), it.own(3, 8)}) == "watch 7");
  BOOST_TEST(it.deleted(7) == "grant 3");
  BOOST_TEST(it.release(3) == "delete 3");
}

BOOST_AUTO_TEST_CASE(it_goes_when_the_hold_ends_where_another_client_waits) {
  use_twice();
  it.acquire(3);
  BOOST_TEST(it.children_changed() == "create 3");
  BOOST_TEST(it.created(3, 8) == "list");
  BOOST_TEST(it.listed({it.own(2, 6), it.other(7), it.own(3, 8)}) == "watch 7");
  BOOST_TEST(it.release(2) == "delete 2");
  it.removed(2);
  BOOST_TEST(it.deleted(7) == "grant 3");
}

BOOST_AUTO_TEST_CASE(it_is_handed_over_as_often_as_it_may_be_where_another_client_waits) {
  caching some({.local_handoffs = 1, .cache = true});
  some.use_twice();
  some.it.acquire(3);
  some.it.acquire(4);
  BOOST_TEST(some.it.release(2) == "forget 2, grant 3 by 2, turn 1");
  some.it.children_changed();
  some.it.children_listed({some.it.own(2, 6), some.it.other(7)});
  BOOST_TEST(some.it.release(3) == "forget 3, grant 4 by 2, turn 2");
  some.it.acquire(5);
  BOOST_TEST(some.it.release(4) == "delete 2");
}

BOOST_AUTO_TEST_CASE(without_a_proof_the_quorum_is_asked_first) {
  cache_one();
  it.proven = false;
  BOOST_TEST(it.acquire(3) == "confirm 2");
  it.proven = true;
  BOOST_TEST(it.confirmed() == "grant 3 by 2, turn 1");
}

BOOST_AUTO_TEST_CASE(a_try_gets_the_cached_entry) {
  cache_one();
  BOOST_TEST(it.try_acquire(3) == "grant 3 by 2, turn 1");
  BOOST_TEST(it.try_acquire(4) == "refuse 4 (busy)");
}

BOOST_AUTO_TEST_CASE(a_try_waits_for_no_proof) {
  cache_one();
  it.proven = false;
  BOOST_TEST(it.try_acquire(3) == "delete 2, list");
}

BOOST_AUTO_TEST_CASE(a_lost_connection_voids_what_is_known) {
  cache_one();
  it.disconnected();
  BOOST_TEST(it.acquire(3) == "");
  BOOST_TEST(it.connected() == "sync and list");
  BOOST_TEST(it.listed({it.own(2, 6)}) == "watch data 2, list and watch");
  BOOST_TEST(it.data_watched(2) == "");
  BOOST_TEST(it.children_listed({it.own(2, 6)}) == "grant 3 by 2, turn 1");
}

BOOST_AUTO_TEST_CASE(it_is_given_up_where_another_client_came_meanwhile) {
  cache_one();
  it.disconnected();
  it.acquire(3);
  it.connected();
  BOOST_TEST(it.listed({it.own(2, 6), it.other(7)}) == "delete 2, create 3, list, watch directory");
}

BOOST_AUTO_TEST_CASE(an_expired_session_leaves_nothing) {
  cache_one();
  it.disconnected();
  BOOST_TEST(it.expired() == "");
  BOOST_TEST(it.cached() == 0U);
  BOOST_TEST(it.empty());
}

BOOST_AUTO_TEST_CASE(an_entry_that_was_deleted_is_not_granted) {
  cache_one();
  BOOST_TEST(it.missing(2) == "");
  BOOST_TEST(it.cached() == 0U);
  BOOST_TEST(it.acquire(3).starts_with("create 3"));
}

BOOST_AUTO_TEST_CASE(all_cached_entries_can_be_evicted) {
  cache_one();
  BOOST_TEST(it.evict() == "delete 2");
  BOOST_TEST(it.removed(2) == "");
  BOOST_TEST(it.empty());
}

BOOST_AUTO_TEST_CASE(it_makes_room_for_other_locks) {
  cache_one();
  BOOST_TEST(it.drop_surplus() == "delete 2");
}

BOOST_AUTO_TEST_CASE(it_is_given_back_before_the_token_wraps) {
  caching few({.cache = true, .most_turns = 2});
  few.cache_one();
  BOOST_TEST(few.it.acquire(3) == "grant 3 by 2, turn 1");
  BOOST_TEST(few.it.release(3) == "forget 3");
  BOOST_TEST(few.it.acquire(4) == "grant 4 by 2, turn 2");
  BOOST_TEST(few.it.release(4) == "delete 2");
}

BOOST_AUTO_TEST_CASE(it_goes_where_the_directory_cannot_be_watched) {
  begin_second_use();
  it.release(2);
  it.acquire(3);
  BOOST_TEST(it.children_not_listed(answer::failed) == "delete 2, create 3");
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace zklock::test

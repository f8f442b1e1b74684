// What is kept is granted without the queue between two events.
#include "cache.hpp"

#include <boost/test/unit_test.hpp>

#include <vector>

namespace zklock::test {

namespace {

using ids = std::vector<queue::acquisition_id>;

// The second one holds, and the third waits. No other client is there, and the watch is set.
struct holder_and_line : line_of_three {
  holder_and_line() {
    it.release(1);
    it.removed(1);
    it.data_watched(2);
    it.children_listed({it.own(2, 6), it.own(3, 7)});
  }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(queue_cache_outside, caching, *boost::unit_test::timeout(30))

BOOST_AUTO_TEST_CASE(what_is_kept_is_offered_and_what_nothing_keeps_is_not) {
  begin_second_use();
  BOOST_TEST(it.offered() == 0U);
  it.data_watched(2);
  it.children_listed({it.own(2, 6)});
  it.release(2);
  BOOST_TEST(it.offered() == 2U);
  it.children_changed();
  BOOST_TEST(it.offered() == 0U);
}

BOOST_AUTO_TEST_CASE(holder_without_the_queue_is_one_of_the_queue_at_the_next_event) {
  keep();
  it.granted_outside(2, 8, 11, {});
  BOOST_TEST(it.cached() == 0U);
  BOOST_TEST(it.acquire(12) == "");
  BOOST_TEST(it.release(11) == "forget 11, grant 12 by 2, turn 8");
}

BOOST_AUTO_TEST_CASE(what_was_used_and_is_free_again_is_kept_with_its_turn) {
  keep();
  it.granted_outside(2, 8, 0, {});
  BOOST_TEST(it.cached() == 1U);
  BOOST_TEST(it.acquire(12) == "grant 12 by 2, turn 8");
}

BOOST_AUTO_TEST_CASE(holder_and_waiters_are_handed_out_in_their_order) {
  use_twice();
  it.acquire(3);
  it.acquire(4);
  BOOST_TEST(it.offered() == 2U);
  BOOST_TEST(it.hand_out(2) == (ids{3, 4}), boost::test_tools::per_element());
  BOOST_TEST(it.cached() == 1U);
  BOOST_TEST(it.offered() == 2U);
}

BOOST_AUTO_TEST_CASE(those_that_were_handed_out_come_back_as_they_were) {
  use_twice();
  it.acquire(3);
  it.acquire(4);
  it.hand_out(2);
  it.granted_outside(2, 1, 5, {6, 7});
  BOOST_TEST(it.cached() == 0U);
  BOOST_TEST(it.offered() == 2U);
  BOOST_TEST(it.acquire(8) == "");
  BOOST_TEST(it.release(5) == "forget 5, grant 6 by 2, turn 1");
  BOOST_TEST(it.release(7) == "forget 7");
  BOOST_TEST(it.release(6) == "forget 6, grant 8 by 2, turn 2");
  BOOST_TEST(it.release(8) == "forget 8");
  BOOST_TEST(it.cached() == 1U);
}

BOOST_FIXTURE_TEST_CASE(entries_behind_it_stay_until_nothing_waits, holder_and_line) {
  BOOST_TEST(it.offered() == 2U);
  BOOST_TEST(it.hand_out(2) == ids{3}, boost::test_tools::per_element());
  // The first was granted, and another one came.
  it.granted_outside(2, 2, 4, {5});
  BOOST_TEST(it.release(4) == "forget 4, grant 5 by 2, turn 2");
  BOOST_TEST(it.hand_out(2).empty());
  it.granted_outside(2, 4, 6, {});
  BOOST_TEST(it.release(6) == "forget 6, delete 3");
  BOOST_TEST(it.cached() == 1U);
}

BOOST_FIXTURE_TEST_CASE(those_that_come_back_go_on_where_another_client_came, holder_and_line) {
  it.hand_out(2);
  it.granted_outside(2, 1, 4, {5});
  BOOST_TEST(it.children_changed() == "");
  BOOST_TEST(it.offered() == 0U);
  BOOST_TEST(it.release(4) == "delete 2 (3), grant 5 by 3");
  it.removed(2);
  BOOST_TEST(it.release(5) == "delete 3");
}

BOOST_FIXTURE_TEST_CASE(all_that_came_back_is_gone_with_the_session, holder_and_line) {
  it.hand_out(2);
  it.granted_outside(2, 1, 4, {5});
  it.disconnected();
  BOOST_TEST(it.offered() == 0U);
  BOOST_TEST(it.expired() == "lose 4 (expired)");
  BOOST_TEST(it.connected() == "create 4, list, watch directory");
  BOOST_TEST(it.created(4, 9) == "");
  BOOST_TEST(it.listed({it.own(4, 9)}) == "grant 5 by 4, watch data 4, list and watch");
}

BOOST_AUTO_TEST_CASE(what_holds_is_not_offered_while_another_lock_waits_for_room) {
  use_twice();
  BOOST_TEST(it.offered() == 2U);
  it.close_budget();
  BOOST_TEST(it.offered() == 0U);
}

BOOST_AUTO_TEST_CASE(writer_of_readers_is_not_handed_out) {
  caching both({.cache = true, .policy = queue::lock_policy::shared});
  both.use_twice();
  BOOST_TEST(both.it.offered() == 0U);
  both.it.release(2);
  BOOST_TEST(both.it.offered() == 2U);
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace zklock::test

// A cached entry is granted without the queue between two events.
#include "cache.hpp"

#include <boost/test/unit_test.hpp>

namespace zklock::test {

namespace {

// Acquisition 2 holds, and acquisition 3 waits. No other client uses the lock, and the watch is
// set.
struct holder_and_line : line_of_three {
  holder_and_line() {
    it.release(1);
    it.removed(1);
    it.data_watched(2);
    it.children_listed({it.own(2, 6), it.own(3, 7)});
  }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(queue_fast_path, caching, *boost::unit_test::timeout(30))

BOOST_AUTO_TEST_CASE(fast_path_has_an_entry_while_it_is_cached) {
  begin_second_use();
  BOOST_TEST(it.for_fast_path() == 0U);
  it.data_watched(2);
  it.children_listed({it.own(2, 6)});
  it.release(2);
  BOOST_TEST(it.for_fast_path() == 2U);
  it.children_changed();
  BOOST_TEST(it.for_fast_path() == 0U);
}

BOOST_AUTO_TEST_CASE(holder_of_the_fast_path_is_a_holder_of_the_queue_at_the_next_event) {
  cache_one();
  it.granted_fast(2, 8, 11);
  BOOST_TEST(it.cached() == 0U);
  BOOST_TEST(it.acquire(12) == "");
  BOOST_TEST(it.release(11) == "forget 11, grant 12 by 2, turn 8");
}

BOOST_AUTO_TEST_CASE(entry_released_on_the_fast_path_is_cached_with_its_turn) {
  cache_one();
  it.granted_fast(2, 8, 0);
  BOOST_TEST(it.cached() == 1U);
  BOOST_TEST(it.acquire(12) == "grant 12 by 2, turn 8");
}

BOOST_AUTO_TEST_CASE(entry_is_lent_while_acquisitions_wait) {
  use_twice();
  it.acquire(3);
  it.acquire(4);
  BOOST_TEST(it.for_fast_path() == 2U);
  it.lend(2);
  BOOST_TEST(it.cached() == 1U);
}

BOOST_AUTO_TEST_CASE(acquisition_that_waits_has_its_turn_after_the_holder_of_the_fast_path) {
  use_twice();
  it.acquire(3);
  it.acquire(4);
  it.lend(2);
  // Acquisition 3 was granted and has ended; acquisition 4 waits, and 5 holds.
  it.granted_fast(2, 2, 5, {3});
  BOOST_TEST(it.cached() == 0U);
  BOOST_TEST(it.for_fast_path() == 2U);
  BOOST_TEST(it.acquire(8) == "");
  BOOST_TEST(it.release(5) == "forget 5, grant 4 by 2, turn 2");
  BOOST_TEST(it.release(4) == "forget 4, grant 8 by 2, turn 3");
  BOOST_TEST(it.release(8) == "forget 8");
  BOOST_TEST(it.cached() == 1U);
}

BOOST_AUTO_TEST_CASE(acquisitions_that_came_meanwhile_wait_in_their_order) {
  use_twice();
  it.lend(2);
  it.granted_fast(2, 1, 5, {}, {{.id = 6}, {.id = 7}});
  BOOST_TEST(it.release(5) == "forget 5, grant 6 by 2, turn 1");
  BOOST_TEST(it.release(7) == "forget 7");
  BOOST_TEST(it.release(6) == "forget 6");
}

BOOST_AUTO_TEST_CASE(acquisition_that_came_meanwhile_and_wants_another_role_waits_for_that) {
  caching both({.cache = true, .policy = queue::lock_policy::shared});
  both.use_twice();
  both.it.release(2);
  both.it.granted_fast(2, 2, 5, {}, {{.id = 6, .asked = reading}});
  BOOST_TEST(both.it.refill() == "create 3");
}

BOOST_FIXTURE_TEST_CASE(entries_behind_it_stay_until_nothing_waits, holder_and_line) {
  BOOST_TEST(it.for_fast_path() == 2U);
  it.lend(2);
  // Acquisition 3 was granted and released, acquisition 4 holds, and acquisition 5 has come.
  it.granted_fast(2, 2, 4, {3}, {{.id = 5}});
  BOOST_TEST(it.release(4) == "forget 4, grant 5 by 2, turn 2");
  it.lend(2);
  it.granted_fast(2, 4, 6);
  BOOST_TEST(it.release(6) == "forget 6, delete 3");
  BOOST_TEST(it.cached() == 1U);
}

BOOST_FIXTURE_TEST_CASE(acquisition_goes_on_waiting_where_another_client_came, holder_and_line) {
  it.lend(2);
  it.granted_fast(2, 1, 4);
  BOOST_TEST(it.children_changed() == "");
  BOOST_TEST(it.for_fast_path() == 0U);
  BOOST_TEST(it.release(4) == "delete 2 (3), grant 3");
  it.removed(2);
  BOOST_TEST(it.release(3) == "delete 3");
}

BOOST_FIXTURE_TEST_CASE(fast_grant_is_gone_with_the_session, holder_and_line) {
  it.lend(2);
  it.granted_fast(2, 1, 4);
  it.disconnected();
  BOOST_TEST(it.for_fast_path() == 0U);
  BOOST_TEST(it.expired() == "lose 4 (expired)");
  BOOST_TEST(it.connected() == "create 4, list, watch directory");
  BOOST_TEST(it.created(4, 9) == "");
  BOOST_TEST(it.listed({it.own(4, 9)}) == "grant 3 by 4, watch data 4, list and watch");
}

BOOST_AUTO_TEST_CASE(held_entry_is_not_lent_while_another_lock_waits_for_room) {
  use_twice();
  BOOST_TEST(it.for_fast_path() == 2U);
  it.close_budget();
  BOOST_TEST(it.for_fast_path() == 0U);
}

BOOST_AUTO_TEST_CASE(writer_of_readers_is_not_handed_out) {
  caching both({.cache = true, .policy = queue::lock_policy::shared});
  both.use_twice();
  BOOST_TEST(both.it.for_fast_path() == 0U);
  both.it.release(2);
  BOOST_TEST(both.it.for_fast_path() == 2U);
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace zklock::test

// Another client asks for the release of an entry: it is granted to no other acquisition.
#include "cache.hpp"

#include <boost/test/unit_test.hpp>

namespace zklock::test {

BOOST_FIXTURE_TEST_SUITE(queue_release_requests, caching, *boost::unit_test::timeout(30))

using queue::answer;

BOOST_AUTO_TEST_CASE(cached_entry_is_deleted_at_once) {
  cache_one();
  BOOST_TEST(it.data_changed(2, 6) == "delete 2");
  BOOST_TEST(it.cached() == 0U);
}

BOOST_AUTO_TEST_CASE(held_entry_is_deleted_when_it_is_released) {
  use_twice();
  BOOST_TEST(it.data_changed(2, 6) == "");
  BOOST_TEST(it.for_fast_path() == 0U);
  BOOST_TEST(it.release(2) == "delete 2");
  BOOST_TEST(it.cached() == 0U);
}

BOOST_AUTO_TEST_CASE(waiters_of_a_held_entry_get_in_line) {
  use_twice();
  BOOST_TEST(it.acquire(3) == "");
  BOOST_TEST(it.data_changed(2, 6) == "create 3");
  BOOST_TEST(it.created(3, 7) == "");
  BOOST_TEST(it.release(2) == "delete 2 (3), grant 3, watch data 3");
}

BOOST_AUTO_TEST_CASE(request_from_before_the_watch_ends_a_cached_entry) {
  begin_second_use();
  BOOST_TEST(it.release(2) == "forget 2");
  BOOST_TEST(it.acquire(3) == "");
  BOOST_TEST(it.data_watched(2, answer::ok, true) == "delete 2, create 3");
}

BOOST_AUTO_TEST_CASE(request_from_before_the_watch_ends_a_held_entry) {
  begin_second_use();
  BOOST_TEST(it.data_watched(2, answer::ok, true) == "");
  BOOST_TEST(it.children_listed({it.own(2, 6)}) == "");
  BOOST_TEST(it.release(2) == "delete 2");
}

BOOST_AUTO_TEST_CASE(entry_whose_data_cannot_be_watched_is_not_cached) {
  begin_second_use();
  BOOST_TEST(it.data_watched(2, answer::failed) == "");
  BOOST_TEST(it.release(2) == "delete 2");
}

BOOST_AUTO_TEST_CASE(cached_entry_is_not_granted_before_its_data_is_watched) {
  begin_second_use();
  it.release(2);
  it.children_listed({it.own(2, 6)});
  BOOST_TEST(it.acquire(3) == "");
  BOOST_TEST(it.data_watched(2) == "grant 3 by 2, turn 1");
}

BOOST_AUTO_TEST_CASE(try_does_not_wait_for_the_watch) {
  begin_second_use();
  it.release(2);
  it.children_listed({it.own(2, 6)});
  BOOST_TEST(it.try_acquire(3) == "delete 2, list");
}

BOOST_AUTO_TEST_CASE(request_outlives_a_connection) {
  use_twice();
  it.data_changed(2, 6);
  it.disconnected();
  it.connected();
  BOOST_TEST(it.listed({it.own(2, 6)}) == "");
  BOOST_TEST(it.release(2) == "delete 2");
}

BOOST_AUTO_TEST_CASE(data_is_watched_again_on_the_next_connection) {
  use_twice();
  it.disconnected();
  it.connected();
  BOOST_TEST(it.listed({it.own(2, 6)}) == "watch data 2, list and watch");
}

BOOST_AUTO_TEST_CASE(request_while_a_hand_over_waits_for_a_proof_ends_it) {
  use_twice();
  it.acquire(3);
  it.proven = false;
  BOOST_TEST(it.release(2) == "forget 2, confirm 2");
  BOOST_TEST(it.data_changed(2, 6) == "delete 2, create 3");
}

BOOST_AUTO_TEST_CASE(entry_is_not_handed_over_after_a_request) {
  caching some({.local_handoffs = 4});
  some.it.make_first();
  some.it.acquire(2);
  some.it.created(2, 6);
  some.it.data_changed(1, 5);
  BOOST_TEST(some.it.release(1) == "delete 1 (2), grant 2");
}

BOOST_AUTO_TEST_CASE(reader_of_a_writer_whose_release_was_requested_is_not_cached) {
  caching both({.cache = true, .policy = queue::lock_policy::shared});
  both.use_twice();
  both.it.data_changed(2, 6);
  both.it.downgrade(2);
  both.it.downgraded(2);
  BOOST_TEST(both.it.release(2) == "delete 2");
}

BOOST_AUTO_TEST_CASE(node_of_a_reader_that_was_a_writer_is_watched_anew) {
  caching both({.cache = true, .policy = queue::lock_policy::shared});
  both.use_twice();
  both.it.downgrade(2);
  BOOST_TEST(both.it.children_changed() == "list and watch");
  BOOST_TEST(both.it.downgraded(2) == "downgraded 2, watch data 2");
}

BOOST_AUTO_TEST_CASE(request_to_another_entry_changes_nothing) {
  cache_one();
  BOOST_TEST(it.data_changed(1, 5) == "");
  BOOST_TEST(it.changed(7) == "");
  BOOST_TEST(it.cached() == 1U);
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace zklock::test

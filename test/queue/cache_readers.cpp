// Entries of readers are cached beside the readers of other clients; a writer ends that.
#include "cache.hpp"

#include <boost/test/unit_test.hpp>

namespace zklock::test {

namespace {

struct reading_twice : caching {
  reading_twice() : caching({.cache = true, .policy = queue::lock_policy::shared}) {}
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(queue_cache_readers, reading_twice, *boost::unit_test::timeout(30))

using queue::role;

BOOST_AUTO_TEST_CASE(a_reader_is_cached_beside_readers_of_other_clients) {
  cache_one(reading);
  BOOST_TEST(it.cached() == 1U);
  BOOST_TEST(it.children_changed() == "list and watch");
  BOOST_TEST(it.children_listed({it.own(2, 6, role::shared), it.other(7, role::shared)}) == "");
  BOOST_TEST(it.acquire(3, reading) == "grant 3 by 2, turn 1");
}

BOOST_AUTO_TEST_CASE(a_writer_of_another_client_ends_it) {
  cache_one(reading);
  it.children_changed();
  BOOST_TEST(it.children_listed({it.own(2, 6, role::shared), it.other(7)}) == "delete 2");
}

BOOST_AUTO_TEST_CASE(it_is_not_cached_where_a_writer_of_another_client_waits) {
  use_twice(reading);
  it.children_changed();
  it.children_listed({it.own(2, 6, role::shared), it.other(7)});
  BOOST_TEST(it.release(2) == "delete 2");
}

BOOST_AUTO_TEST_CASE(a_writer_of_ours_ends_it) {
  cache_one(reading);
  BOOST_TEST(it.acquire(3) == "delete 2, create 3");
}

BOOST_AUTO_TEST_CASE(readers_that_hold_together_have_entries_of_their_own) {
  use_twice(reading);
  BOOST_TEST(it.acquire(3, reading) == "create 3");
  BOOST_TEST(it.created(3, 7) == "grant 3, watch data 3");
  BOOST_TEST(it.data_watched(3) == "");
  BOOST_TEST(it.release(2) == "forget 2");
  BOOST_TEST(it.release(3) == "forget 3");
  BOOST_TEST(it.cached() == 2U);
  BOOST_TEST(it.acquire(4, reading) == "grant 4 by 2, turn 1");
  BOOST_TEST(it.acquire(5, reading) == "grant 5 by 3, turn 1");
  BOOST_TEST(it.evict() == "");
}

BOOST_AUTO_TEST_CASE(an_event_of_a_change_of_ours_is_no_conflict) {
  use_twice(reading);
  BOOST_TEST(it.acquire(3, reading) == "create 3");
  BOOST_TEST(it.children_changed() == "list and watch");
  it.created(3, 7);
  BOOST_TEST(it.children_listed({it.own(2, 6, role::shared), it.own(3, 7, role::shared)}) == "");
  BOOST_TEST(it.release(2) == "forget 2");
  BOOST_TEST(it.release(3) == "forget 3");
}

BOOST_AUTO_TEST_CASE(many_readers_of_other_clients_end_it) {
  cache_one(reading);
  it.children_changed();
  std::vector<std::string> names{it.own(2, 6, role::shared)};
  for (queue::sequence number = 7; number != 7 + 17; ++number)
    names.push_back(it.other(number, role::shared));
  BOOST_TEST(it.children_listed(names) == "delete 2");
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace zklock::test

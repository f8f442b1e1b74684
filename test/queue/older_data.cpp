// Servers that come back with older data have nodes again that permits or readers' nodes had
// replaced.
#include "cache.hpp"
#include "permits.hpp"

#include <boost/test/unit_test.hpp>

using namespace zklock::test;
using zklock::queue::role;

BOOST_FIXTURE_TEST_SUITE(older_data, of_three)

BOOST_AUTO_TEST_CASE(place_that_is_there_again_behind_permits_given_back_is_deleted_once) {
  for (const std::uint32_t permits : {1u, 2u}) {
    of_three now;
    now.take(permits);
    now.it.disconnected();
    now.it.release(1);
    now.it.connected();
    now.it.permits_listed();
    BOOST_TEST(now.it.listed({now.it.own(1, 5)}) == "delete 1");
    BOOST_TEST(now.it.removed(1) == "forget 1");
    BOOST_TEST(now.it.empty());
  }
}

BOOST_AUTO_TEST_CASE(place_that_is_there_again_behind_permits_being_given_back_is_deleted) {
  take(2);
  BOOST_TEST(it.release(1) == "delete 2 permits of 1");
  it.disconnected();
  it.connected();
  it.permits_listed();
  BOOST_TEST(it.listed({it.own(1, 5)}) == "delete 1");
  it.removed(1);
  BOOST_TEST(it.empty());
}

BOOST_AUTO_TEST_CASE(permits_whose_place_is_there_again_are_lost) {
  for (const std::uint32_t permits : {1u, 3u}) {
    of_three now;
    now.take(permits);
    now.it.disconnected();
    now.it.connected();
    now.it.permits_listed();
    BOOST_TEST(now.it.listed({now.it.own(1, 5)}) == "lose 1 (deleted), delete 1");
    now.it.removed(1);
    BOOST_TEST(now.it.empty());
    // All permits may be taken again.
    now.it.acquire(2, many(3));
    now.it.created(2, 6);
    now.it.listed({now.it.own(2, 6)});
    BOOST_TEST(now.it.permits_listed() == "take 3 for 2");
  }
}

BOOST_AUTO_TEST_CASE(acquisition_whose_place_is_there_again_waits_by_another_one) {
  it.make_first();
  it.permits_listed();
  it.proven = false;
  BOOST_TEST(it.taken(1) == "confirm 1");
  it.disconnected();
  it.connected();
  it.permits_listed();
  BOOST_TEST(it.listed({it.own(1, 5)}) ==
             "delete 1, create 2, list, list permits, watch directory");
}

BOOST_FIXTURE_TEST_CASE(writer_that_is_there_again_loses_the_hold_of_the_reader, nothing) {
  for (const bool released : {true, false}) {
    subject it({.policy = zklock::queue::lock_policy::shared});
    it.make_first();
    it.downgrade(1);
    it.downgraded(1);
    it.disconnected();
    if (released) it.release(1);
    it.connected();
    BOOST_TEST(it.listed({it.own(1, 5)}) == (released ? "delete 1" : "lose 1 (deleted), delete 1"));
    BOOST_TEST(it.removes() == it.own(1, 5));
    it.removed(1);
    BOOST_TEST(it.empty());
  }
}

BOOST_FIXTURE_TEST_CASE(writer_that_is_there_again_takes_the_cached_reader_with_it, nothing) {
  caching of({.cache = true, .policy = zklock::queue::lock_policy::shared});
  subject& it = of.it;
  of.use_twice();
  it.downgrade(2);
  it.downgraded(2);
  it.release(2);
  BOOST_TEST(it.cached() == 1u);
  it.disconnected();
  it.connected();
  BOOST_TEST(it.listed({it.own(2, 6)}) == "delete 2");
  BOOST_TEST(it.removes() == it.own(2, 6));
  BOOST_TEST(it.cached() == 0u);
  it.removed(2);
  BOOST_TEST(it.empty());
}

BOOST_AUTO_TEST_SUITE_END()

// Acquisitions with an identity of their own, which the nodes of their entries have as data.
#include "cache.hpp"
#include "permits.hpp"

#include <boost/test/unit_test.hpp>

#include <memory>
#include <string>

namespace zklock::test {

namespace {

queue::lock_mode named(const std::string& identity, queue::role wants = queue::role::exclusive) {
  return {.wants = wants, .identity = std::make_shared<const std::string>(identity)};
}

} // namespace

BOOST_AUTO_TEST_SUITE(queue_identities, *boost::unit_test::timeout(30))

BOOST_AUTO_TEST_CASE(create_has_the_identity_of_the_acquisition_whose_place_it_takes) {
  subject it;
  it.make_first();
  BOOST_TEST(it.acquire(2, named("a")) == "create 2 as a, watch directory");
  BOOST_TEST(it.acquire(3) == "create 3");
  BOOST_TEST(it.acquire(4, named("b")) == "create 4 as b");
  it.created(2, 6);
  it.created(3, 7);
  it.created(4, 8);
  BOOST_TEST(it.release(1) == "delete 1 (2), grant 2");
  // The place of an acquisition that gives up goes with it.
  BOOST_TEST(it.release(3) == "forget 3, delete 3");
  BOOST_TEST(it.release(2) == "delete 2 (4), grant 4");
}

BOOST_AUTO_TEST_CASE(acquisition_that_moves_up_is_granted_the_entry_of_another_name) {
  subject it;
  it.make_first();
  it.acquire(2, named("a"));
  it.acquire(3, named("b"));
  it.created(2, 6);
  it.created(3, 7);
  BOOST_TEST(it.missing(2) == "create 4 as b, list");
  it.created(4, 8);
  it.listed({it.own(1, 5), it.own(3, 7), it.own(4, 8)});
  BOOST_TEST(it.release(1) == "delete 1 (3), grant 2 by 3, misnamed");
  BOOST_TEST(it.release(2) == "delete 3 (4), grant 3 by 4");
}

BOOST_AUTO_TEST_CASE(try_has_its_identity) {
  subject it;
  it.connected();
  BOOST_TEST(it.try_acquire(1, named("a")) == "list");
  BOOST_TEST(it.listed({}) == "make directory, create 1 as a, list");
}

BOOST_AUTO_TEST_CASE(permits_have_the_identity_of_their_acquisition) {
  of_three with;
  subject& it = with.it;
  it.connected();
  BOOST_TEST(it.acquire(1, named("a")) == "make directory, create 1 as a, list, list permits");
  it.created(1, 5);
  it.listed({it.own(1, 5)});
  BOOST_TEST(it.permits_listed() == "take 1 for 1 as a");
  BOOST_TEST(it.taken(1) == "grant 1");
}

BOOST_AUTO_TEST_CASE(downgrade_keeps_the_identity) {
  subject it({.policy = queue::lock_policy::shared});
  it.make_first(named("a"));
  it.rename(1, "b");
  BOOST_TEST(it.downgrade(1) == "downgrade 1 as b");
  it.disconnected();
  it.rename(1, "c");
  it.connected();
  BOOST_TEST(it.listed({it.own(1, 5)}) == "downgrade 1 as c");
}

BOOST_AUTO_TEST_CASE(entry_with_an_identity_is_not_handed_over) {
  for (const bool first_is_named : {false, true}) {
    subject it({.local_handoffs = 2});
    it.make_first(first_is_named ? named("a") : queue::lock_mode());
    it.acquire(2, first_is_named ? queue::lock_mode() : named("a"));
    it.created(2, 6);
    BOOST_TEST(it.release(1) == "delete 1 (2), grant 2");
  }
}

BOOST_AUTO_TEST_CASE(waiter_with_an_identity_has_an_entry_beside_a_held_entry_that_serves_others) {
  caching with({.local_handoffs = 2, .cache = true});
  subject& it = with.it;
  with.use_twice();
  BOOST_TEST(it.acquire(3) == "");
  BOOST_TEST(it.acquire(4, named("a")) == "create 3, create 4 as a");
  BOOST_TEST(it.for_fast_path() == 0U);
}

BOOST_AUTO_TEST_CASE(cached_entry_is_not_granted_to_an_acquisition_with_an_identity) {
  for (const bool tries : {false, true}) {
    caching with;
    subject& it = with.it;
    with.cache_one();
    if (tries)
      BOOST_TEST(it.try_acquire(3, named("a")) == "delete 2, list");
    else
      BOOST_TEST(it.acquire(3, named("a")) == "delete 2, create 3 as a");
    BOOST_TEST(it.cached() == 0U);
  }
}

BOOST_AUTO_TEST_CASE(entry_with_an_identity_is_not_cached) {
  caching with;
  subject& it = with.it;
  with.begin_second_use(named("a"));
  BOOST_TEST(it.release(2) == "delete 2");
}

BOOST_AUTO_TEST_CASE(entry_that_was_renamed_is_not_cached) {
  for (const char* identity : {"a", ""}) {
    caching with;
    subject& it = with.it;
    with.use_twice();
    BOOST_TEST(it.for_fast_path() == 2U);
    BOOST_TEST(it.rename(2, identity) == "");
    BOOST_TEST(it.for_fast_path() == 0U);
    // The event of the write.
    BOOST_TEST(it.data_changed(2, 6) == "");
    BOOST_TEST(it.release(2) == "delete 2");
  }
}

BOOST_AUTO_TEST_CASE(waiters_of_an_entry_that_is_renamed_get_in_line) {
  caching with;
  subject& it = with.it;
  with.use_twice();
  BOOST_TEST(it.acquire(3) == "");
  BOOST_TEST(it.rename(2, "a") == "create 3");
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace zklock::test

// How many permits there are.
#include "permits.hpp"

#include <boost/test/unit_test.hpp>

#include <utility>

using namespace zklock::test;

BOOST_FIXTURE_TEST_SUITE(permits_limit, of_three)

BOOST_AUTO_TEST_CASE(more_than_there_are_is_refused) {
  it.connected();
  BOOST_TEST(it.acquire(1, many(4)) == "refuse 1 (too many)");
  BOOST_TEST(it.try_acquire(2, many(4)) == "refuse 2 (too many)");
  BOOST_TEST(it.empty());
}

BOOST_FIXTURE_TEST_CASE(the_limit_is_asked_for_and_may_change, nothing) {
  subject it({.policy = zklock::queue::lock_policy::counted});
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

BOOST_FIXTURE_TEST_CASE(limit_that_may_have_changed_lets_none_in, nothing) {
  subject it({.policy = zklock::queue::lock_policy::counted});
  it.make_first(many(2));
  it.limited(2);
  BOOST_TEST(it.limit_changed() == "ask limit");
  BOOST_TEST(it.permits_listed() == "");
  it.disconnected();
  BOOST_TEST(it.connected() == "sync and list");
  it.permits_listed();
  BOOST_TEST(it.listed({it.own(1, 5)}) == "ask limit");
  // An acquisition that asked for as many as there were waits until there are again.
  BOOST_TEST(it.limited(1) == "list permits");
  BOOST_TEST(it.permits_listed() == "");
  BOOST_TEST(it.limit_changed() == "ask limit");
  BOOST_TEST(it.limited(2) == "take 2 for 1");
}

BOOST_FIXTURE_TEST_CASE(rubbish_is_no_limit, nothing) {
  subject it({.policy = zklock::queue::lock_policy::counted});
  it.make_first();
  BOOST_TEST(it.limited({}) == "refuse 1 (bad limit), delete 1");
}

BOOST_FIXTURE_TEST_CASE(limit_that_cannot_be_read_is_not_a_bad_one, nothing) {
  using zklock::queue::answer;
  for (const auto& [result, outcome] :
       {std::pair(answer::no_node, "refuse 1 (bad limit), delete 1"),
        std::pair(answer::no_permission, "refuse 1 (no permission), delete 1"),
        std::pair(answer::failed, "refuse 1 (failed), delete 1")}) {
    subject it({.policy = zklock::queue::lock_policy::counted});
    it.make_first();
    BOOST_TEST(it.not_limited(result) == outcome);
  }
}

BOOST_AUTO_TEST_SUITE_END()

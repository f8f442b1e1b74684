// A write of a lost connection may be carried out after the next connection has recovered.
#include "permits.hpp"

#include <boost/test/unit_test.hpp>

namespace zklock::test {

BOOST_AUTO_TEST_SUITE(queue_late_writes, *boost::unit_test::timeout(30))

namespace {

// Entry 1 was being created, and the list of the recovery does not show it. The lock was used since
// by entry 2, and is idle.
void lose_a_create(subject& it) {
  it.connected();
  it.acquire(1);
  it.disconnected();
  it.connected();
  it.listed({});
  it.created(2, 0);
  it.release(1);
  it.removed(2);
}

} // namespace

BOOST_AUTO_TEST_CASE(late_entry_is_deleted_after_the_next_recovery) {
  subject it;
  lose_a_create(it);
  BOOST_TEST(it.empty());
  it.disconnected();
  BOOST_TEST(it.connected() == "sync and list");
  BOOST_TEST(it.listed({it.own(1, 1)}) == "delete " + it.own(1, 1));
  BOOST_TEST(!it.empty());
}

BOOST_AUTO_TEST_CASE(what_is_acquired_meanwhile_waits_for_the_list) {
  subject it;
  lose_a_create(it);
  it.disconnected();
  it.connected();
  BOOST_TEST(it.acquire(2) == "");
  BOOST_TEST(it.listed({}) == "create 3, list, watch directory");
}

BOOST_AUTO_TEST_CASE(late_permits_are_deleted_after_the_next_recovery) {
  of_three s;
  s.it.make_first();
  BOOST_TEST(s.it.permits_listed() == "take 1 for 1");
  s.it.disconnected();
  s.it.connected();
  s.it.permits_listed();
  s.it.listed({s.it.own(1, 5)});
  s.it.release(1);
  s.it.removed(1);
  BOOST_TEST(s.it.empty());
  s.it.disconnected();
  BOOST_TEST(s.it.connected() == "sync and list");
}

BOOST_AUTO_TEST_CASE(nothing_is_late_where_all_was_answered) {
  subject it;
  it.make_first();
  it.release(1);
  it.removed(1);
  it.disconnected();
  BOOST_TEST(it.connected() == "");
}

BOOST_AUTO_TEST_CASE(nothing_is_late_in_a_new_session) {
  subject it;
  lose_a_create(it);
  it.disconnected();
  it.expired();
  BOOST_TEST(it.connected() == "");
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace zklock::test

// A node whose delete the servers refuse for now is deleted later.

#include "permits.hpp"

#include <boost/test/unit_test.hpp>

namespace zklock::test {

using queue::answer;

BOOST_AUTO_TEST_SUITE(queue_removing, *boost::unit_test::timeout(30))

BOOST_AUTO_TEST_CASE(refused_delete_is_sent_again_when_told_and_not_before) {
  subject it;
  it.make_first();
  BOOST_TEST(it.release(1) == "delete 1");
  for (int i = 0; i < 3; ++i) {
    BOOST_TEST(!it.has_refused());
    BOOST_TEST(it.try_again() == "");
    BOOST_TEST(it.removed(1, answer::failed) == "");
    BOOST_TEST(it.has_refused());
    BOOST_TEST(!it.empty());
    BOOST_TEST(it.try_again() == "delete 1");
  }
  BOOST_TEST(it.removed(1) == "forget 1");
  BOOST_TEST(it.empty());
  BOOST_TEST(!it.has_refused());
}

// Servers give such an error only for the parent of a new node.
BOOST_AUTO_TEST_CASE(refused_delete_is_sent_again_whatever_the_error) {
  subject it;
  it.make_first();
  BOOST_TEST(it.release(1) == "delete 1");
  BOOST_TEST(it.removed(1, answer::parent_is_ephemeral) == "");
  BOOST_TEST(it.has_refused());
  BOOST_TEST(it.try_again() == "delete 1");
  BOOST_TEST(it.removed(1) == "forget 1");
}

BOOST_AUTO_TEST_CASE(refused_delete_holds_up_nothing_else) {
  subject it;
  it.make_first();
  it.acquire(2);
  it.created(2, 6);
  BOOST_TEST(it.release(1) == "delete 1 (2), grant 2");
  BOOST_TEST(it.removed(1, answer::failed) == "");
  BOOST_TEST(it.release(2) == "delete 2");
  BOOST_TEST(it.removed(2) == "forget 2");
  BOOST_TEST(it.try_again() == "delete 1");
  BOOST_TEST(it.removed(1) == "forget 1");
}

// The delete was undone since the delete of another lock failed in its transaction.
BOOST_AUTO_TEST_CASE(undone_delete_is_sent_again_at_once) {
  subject it;
  it.make_first();
  BOOST_TEST(it.release(1) == "delete 1");
  BOOST_TEST(it.removed(1, answer::undone) == "delete 1");
  BOOST_TEST(!it.has_refused());
  BOOST_TEST(it.removed(1) == "forget 1");
  BOOST_TEST(it.empty());
}

BOOST_AUTO_TEST_CASE(undone_delete_of_permits_is_sent_again_at_once) {
  of_three s;
  s.take(2);
  BOOST_TEST(s.it.release(1) == "delete 2 permits of 1");
  BOOST_TEST(s.it.removed(1, answer::undone) == "delete 2 permits of 1");
  BOOST_TEST(s.it.removed(1) == "forget 1");
}

BOOST_AUTO_TEST_CASE(delete_that_may_not_be_is_told_and_not_sent_again) {
  subject it;
  it.make_first();
  it.release(1);
  BOOST_TEST(it.removed(1, answer::no_permission) == "forget 1 (no permission)");
  BOOST_TEST(!it.has_refused());
  BOOST_TEST(it.try_again() == "");
  BOOST_TEST(it.empty());
}

BOOST_AUTO_TEST_CASE(refused_delete_of_permits_is_sent_again) {
  of_three s;
  s.take(2);
  BOOST_TEST(s.it.release(1) == "delete 2 permits of 1");
  BOOST_TEST(s.it.removed(1, answer::failed) == "");
  BOOST_TEST(s.it.try_again() == "delete 2 permits of 1");
  BOOST_TEST(s.it.removed(1) == "forget 1");
  BOOST_TEST(s.it.empty());
}

BOOST_AUTO_TEST_CASE(refused_delete_goes_with_the_session) {
  subject it;
  it.make_first();
  it.release(1);
  it.removed(1, answer::failed);
  it.disconnected();
  BOOST_TEST(!it.has_refused());
  BOOST_TEST(it.try_again() == "");
  BOOST_TEST(it.expired() == "forget 1");
  BOOST_TEST(it.empty());
}

BOOST_AUTO_TEST_CASE(refused_delete_is_sent_again_by_a_recovery) {
  subject it;
  it.make_first();
  it.release(1);
  it.removed(1, answer::failed);
  it.disconnected();
  BOOST_TEST(it.connected() == "sync and list");
  BOOST_TEST(it.listed({it.own(1, 5)}) == "delete 1");
  BOOST_TEST(!it.has_refused());
  BOOST_TEST(it.removed(1) == "forget 1");
}

BOOST_AUTO_TEST_CASE(refused_orphan_is_sent_again_also_over_a_new_connection) {
  subject it;
  it.make_first();
  const auto orphan = it.own(7, 4);
  it.acquire(2);
  it.created(2, 8);
  BOOST_TEST(it.listed({orphan, it.own(1, 5), it.own(2, 8)}) == "delete " + orphan);
  BOOST_TEST(it.orphan_removed(orphan, answer::failed) == "");
  BOOST_TEST(it.has_refused());
  BOOST_TEST(it.try_again() == "delete " + orphan);
  BOOST_TEST(it.release(2) == "forget 2, delete 2");
  BOOST_TEST(it.removed(2) == "");
  BOOST_TEST(it.release(1) == "delete 1");
  BOOST_TEST(it.removed(1) == "forget 1");
  BOOST_TEST(!it.empty());
  it.disconnected();
  BOOST_TEST(it.connected() == "delete " + orphan);
  BOOST_TEST(it.orphan_removed(orphan, answer::no_permission) == "");
  BOOST_TEST(!it.has_refused());
  BOOST_TEST(it.empty());
}

BOOST_AUTO_TEST_CASE(orphan_that_is_listed_again_is_deleted_once) {
  of_three s;
  subject& it = s.it;
  s.take(1);
  const auto orphan = it.permit(7);
  it.acquire(2);
  it.created(2, 6);
  it.listed({it.own(2, 6)});
  BOOST_TEST(it.permits_listed({it.permit(1), orphan}) ==
             "delete permit " + orphan + ", take 1 for 2");
  it.taken(2);
  it.acquire(3);
  it.created(3, 7);
  it.listed({it.own(3, 7)});
  BOOST_TEST(it.permits_listed({it.permit(1), it.permit(2), orphan}) == "take 1 for 3");
  BOOST_TEST(it.orphan_removed(orphan) == "");
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace zklock::test

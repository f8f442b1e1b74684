// An answer tells nothing to acquisitions that are younger than its request.
#include "permits.hpp"

#include <boost/test/unit_test.hpp>

namespace zklock::test {

BOOST_AUTO_TEST_SUITE(queue_refusals, *boost::unit_test::timeout(30))

using queue::answer;

BOOST_AUTO_TEST_CASE(a_chroot_that_was_missing_before) {
  subject it;
  it.connected();
  it.acquire(1);
  it.not_listed(answer::no_node);
  it.not_created(1, answer::no_node);
  BOOST_TEST(it.acquire(2) == "");
  BOOST_TEST(it.try_acquire(3) == "");
  // The first acquisition is refused; acquisition 2 finds out for itself.
  BOOST_TEST(it.directory_made(answer::no_node) ==
             "refuse 1 (no chroot), refuse 3 (busy), make directory, create 2, list");
  BOOST_TEST(it.not_created(2, answer::no_node) == "make parents");
  BOOST_TEST(it.directory_made(answer::no_node) == "refuse 2 (no chroot)");
  it.not_listed(answer::no_node);
  BOOST_TEST(it.empty());
}

BOOST_AUTO_TEST_CASE(a_list_that_was_forbidden_before) {
  subject it;
  it.connected();
  it.acquire(1);
  it.created(1, 4);
  it.acquire(2);
  BOOST_TEST(it.not_listed(answer::no_permission) == "refuse 1 (no permission), delete 1");
  // It does not take the place of the first.
  BOOST_TEST(it.created(2, 5) == "list");
  BOOST_TEST(it.listed({it.own(2, 5)}) == "grant 2");
}

// The create was undone since the create of another lock failed in its transaction.
BOOST_AUTO_TEST_CASE(undone_create_is_made_again_behind_those_that_followed) {
  subject it;
  it.connected();
  it.acquire(1);
  it.acquire(2);
  BOOST_TEST(it.not_created(1, answer::undone) == "create 3");
  it.created(2, 5);
  it.created(3, 6);
  BOOST_TEST(it.listed({it.own(2, 5), it.own(3, 6)}) == "grant 1 by 2");
  BOOST_TEST(it.release(1) == "delete 2 (3), grant 2 by 3");
}

BOOST_AUTO_TEST_CASE(undone_create_of_a_try_looks_first_again) {
  subject it;
  it.connected();
  it.try_acquire(1);
  BOOST_TEST(it.listed({}) == "make directory, create 1, list");
  BOOST_TEST(it.not_created(1, answer::undone) == "");
  BOOST_TEST(it.listed({}) == "list");
  BOOST_TEST(it.listed({}) == "create 2, list, watch directory");
}

BOOST_AUTO_TEST_CASE(a_create_that_was_forbidden_before) {
  subject it;
  it.connected();
  it.acquire(1);
  it.acquire(2);
  BOOST_TEST(it.not_created(1, answer::no_permission) == "refuse 1 (no permission)");
  it.created(2, 5);
  BOOST_TEST(it.listed({it.own(2, 5)}) == "grant 2");
}

BOOST_FIXTURE_TEST_CASE(permits_that_were_hidden_before, of_three) {
  it.make_first();
  it.acquire(2);
  BOOST_TEST(it.permits_not_listed(answer::no_permission) == "refuse 1 (no permission), delete 1");
  BOOST_TEST(it.created(2, 6) == "list permits");
  BOOST_TEST(it.permits_listed() == "take 1 for 2");
}

BOOST_AUTO_TEST_CASE(a_limit_that_was_missing_before) {
  subject it({.policy = queue::lock_policy::counted});
  it.make_first();
  it.acquire(2);
  BOOST_TEST(it.limited({}) == "refuse 1 (bad limit), delete 1, ask limit");
  it.created(2, 6);
  it.limited(1);
  BOOST_TEST(it.permits_listed() == "take 1 for 2");
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace zklock::test

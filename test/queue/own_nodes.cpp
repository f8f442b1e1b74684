// Which nodes of the session a queue knows: servers with older data show further nodes.
#include "permits.hpp"

#include <boost/test/unit_test.hpp>

namespace zklock::test {

using queue::answer;
using queue::role;

BOOST_AUTO_TEST_SUITE(queue_own_nodes, *boost::unit_test::timeout(30))

BOOST_AUTO_TEST_CASE(node_of_an_entry_is_known_from_the_create_until_the_delete_is_confirmed) {
  subject it;
  it.connected();
  BOOST_TEST(!it.accounts_for(1));
  it.acquire(1);
  BOOST_TEST(it.accounts_for(1));
  it.created(1, 0);
  it.listed({it.own(1, 0)});
  BOOST_TEST(it.accounts_for(1));
  it.release(1);
  it.disconnected();
  it.connected();
  BOOST_TEST(it.accounts_for(1));
  it.listed({it.own(1, 0)});
  it.removed(1);
  BOOST_TEST(!it.accounts_for(1));
}

BOOST_AUTO_TEST_CASE(node_that_was_replaced_is_not_known_any_more) {
  const queue::form permit{.is_permit = true};
  of_three s;
  s.it.make_first();
  BOOST_TEST(!s.it.accounts_for(1, permit));
  s.it.permits_listed();
  BOOST_TEST(s.it.accounts_for(1));
  BOOST_TEST(s.it.accounts_for(1, permit));
  s.it.taken(1);
  BOOST_TEST(!s.it.accounts_for(1));
  BOOST_TEST(s.it.accounts_for(1, permit));
}

BOOST_AUTO_TEST_CASE(orphan_is_known_until_it_is_deleted) {
  subject it;
  it.make_first();
  it.release(1);
  it.removed(1);
  it.acquire(2);
  it.created(2, 6);
  const auto orphan = it.own(7, 3);
  it.listed({orphan, it.own(2, 6)});
  BOOST_TEST(it.accounts_for(7, {}, orphan));
  BOOST_TEST(!it.accounts_for(8, {}, it.own(8, 4)));
}

BOOST_AUTO_TEST_CASE(any_node_may_be_there_after_a_create_without_a_reply) {
  subject it;
  it.connected();
  it.acquire(1);
  it.disconnected();
  BOOST_TEST(it.accounts_for(7));
}

BOOST_AUTO_TEST_CASE(any_node_may_be_there_where_one_may_not_be_deleted) {
  subject it;
  it.make_first();
  it.release(1);
  BOOST_TEST(it.removed(1, answer::no_permission) == "forget 1 (no permission)");
  BOOST_TEST(it.accounts_for(1));
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace zklock::test

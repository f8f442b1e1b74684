// The bytes of node paths that a session may own.
#include "queue/node_budget.hpp"

#include <boost/test/unit_test.hpp>

namespace zklock::test {

using queue::node_budget;

BOOST_AUTO_TEST_SUITE(queue_node_budget, *boost::unit_test::timeout(30))

BOOST_AUTO_TEST_CASE(no_more_is_taken_than_there_is) {
  node_budget it(300);
  BOOST_TEST(it.take(200));
  BOOST_TEST(!it.take(101));
  BOOST_TEST(it.take(100));
  it.give_back(100);
  BOOST_TEST(it.left() == 100u);
  BOOST_TEST(it.total() == 300u);
}

BOOST_AUTO_TEST_CASE(nothing_is_taken_while_it_is_closed) {
  node_budget it(300);
  it.close(true);
  BOOST_TEST(!it.take(100));
  BOOST_TEST(it.take(0));
  it.close(false);
  BOOST_TEST(it.take(100));
}

BOOST_AUTO_TEST_CASE(part_is_lent_while_it_is_closed) {
  node_budget it(800, 100);
  it.close(true);
  BOOST_TEST(!it.borrow(100));
  it.lend(true);
  BOOST_TEST(it.borrow(100));
  BOOST_TEST(!it.borrow(1));
  it.give_back(100);
  BOOST_TEST(!it.borrow(100));
  it.repay(100);
  BOOST_TEST(it.borrow(100));
}

BOOST_AUTO_TEST_CASE(no_more_is_lent_than_there_is) {
  node_budget it(150, 100);
  it.take(100);
  it.lend(true);
  BOOST_TEST(it.is_lendable(100));
  BOOST_TEST(!it.borrow(100));
  BOOST_TEST(it.borrow(50));
}

BOOST_AUTO_TEST_CASE(what_is_reserved_is_for_its_caller_alone) {
  node_budget it(300);
  BOOST_TEST(it.reserve(301) == 0u);
  const auto one = it.reserve(200);
  BOOST_TEST(one != 0u);
  BOOST_TEST(it.reserve(101) == 0u);
  BOOST_TEST(it.left() == 100u);
  it.close(true);
  BOOST_TEST(it.take(150, one));
  BOOST_TEST(!it.take(51, one));
  BOOST_TEST(!it.take(1, 0));
  it.give_back_reserved(150);
  BOOST_TEST(it.has(200, one));
  BOOST_TEST(it.left() == 100u);
}

// An acquisition of one holds by an entry that was made for the other.
BOOST_AUTO_TEST_CASE(what_several_have_reserved_is_for_all_of_them) {
  node_budget it(400);
  const auto one = it.reserve(200);
  const auto two = it.reserve(200);
  BOOST_TEST(it.take(300, one));
  BOOST_TEST(!it.take(200, two));
  it.end(one);
  BOOST_TEST(it.left() == 100u);
  BOOST_TEST(!it.has(1, two));
  it.give_back_reserved(100);
  BOOST_TEST(it.left() == 200u);
  it.give_back_reserved(200);
  BOOST_TEST(it.has(200, two));
  it.end(two);
  BOOST_TEST(it.left() == 400u);
}

BOOST_AUTO_TEST_CASE(what_is_left_of_a_reservation_is_given_back) {
  node_budget it(300);
  const auto one = it.reserve(200);
  it.take(150, one);
  const auto returns = it.returns();
  it.end(one);
  BOOST_TEST(it.left() == 150u);
  BOOST_TEST(it.returns() != returns);
  it.give_back_reserved(150);
  BOOST_TEST(it.left() == 300u);
  it.end(one);
  BOOST_TEST(it.left() == 300u);
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace zklock::test

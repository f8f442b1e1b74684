// Giving up leaves nothing behind, at any stage.

#include "subject.hpp"

#include <boost/test/unit_test.hpp>

namespace zklock::test {

BOOST_AUTO_TEST_SUITE(queue_giving_up, *boost::unit_test::timeout(30))

BOOST_AUTO_TEST_CASE(while_waiting_in_the_process) {
  subject it({.max_entries = 1});
  it.connected();
  it.acquire(1);
  it.acquire(2);
  BOOST_TEST(it.release(2) == "forget 2");
}

BOOST_AUTO_TEST_CASE(while_the_create_is_in_flight) {
  subject it;
  it.connected();
  it.acquire(1);
  BOOST_TEST(it.release(1) == "forget 1");
  BOOST_TEST(it.created(1, 3) == "delete 1");
  it.listed({it.other(2), it.own(1, 3)});
  BOOST_TEST(!it.empty());
  BOOST_TEST(it.removed(1) == "");
  BOOST_TEST(it.empty());
}

BOOST_AUTO_TEST_CASE(while_the_create_is_in_flight_and_fails) {
  for (const auto result : {queue::answer::no_node, queue::answer::failed}) {
    subject it;
    it.connected();
    it.acquire(1);
    it.release(1);
    it.not_created(1, result);
    BOOST_TEST(it.empty());
  }
}

BOOST_AUTO_TEST_CASE(in_line) {
  subject it;
  it.connected();
  it.acquire(1);
  it.created(1, 3);
  it.listed({it.other(2), it.own(1, 3)});
  BOOST_TEST(it.release(1) == "forget 1, delete 1");
  BOOST_TEST(it.removed(1) == "");
}

BOOST_AUTO_TEST_CASE(in_line_between_two_of_ours) {
  subject it;
  it.make_first();
  it.acquire(2);
  it.acquire(3);
  it.created(2, 6);
  it.created(3, 7);
  BOOST_TEST(it.release(2) == "forget 2, delete 2");
  BOOST_TEST(it.release(1) == "delete 1 (3), grant 3");
}

// Other clients may have got in line in between.
BOOST_AUTO_TEST_CASE(entry_on_its_way_for_a_waiter_that_gave_up_is_not_for_the_next) {
  subject it;
  it.make_first();
  it.acquire(2);
  it.acquire(3);
  BOOST_TEST(it.release(2) == "forget 2");
  BOOST_TEST(it.acquire(4) == "create 4");
  BOOST_TEST(it.created(2, 6) == "delete 2");
  BOOST_TEST(it.created(3, 7) == "");
  BOOST_TEST(it.release(1) == "delete 1 (3), grant 3");
}

BOOST_AUTO_TEST_CASE(while_it_is_being_deleted_or_after) {
  subject it;
  it.make_first();
  BOOST_TEST(it.release(1) == "delete 1");
  BOOST_TEST(it.release(1) == "");
  it.removed(1);
  BOOST_TEST(it.release(1) == "");
}

BOOST_AUTO_TEST_CASE(while_disconnected) {
  subject it;
  it.make_first();
  it.disconnected();
  BOOST_TEST(it.release(1) == "");
  BOOST_TEST(it.connected() == "sync and list");
  BOOST_TEST(it.listed({it.own(1, 5)}) == "delete 1");
  BOOST_TEST(it.removed(1) == "forget 1");
}

BOOST_AUTO_TEST_CASE(waiter_gives_up_while_its_create_is_unconfirmed) {
  for (const bool has_node : {false, true}) {
    subject it;
    it.connected();
    it.acquire(1);
    it.disconnected();
    BOOST_TEST(it.release(1) == "forget 1");
    it.connected();
    if (has_node) {
      BOOST_TEST(it.listed({it.own(1, 5)}) == "delete 1");
      BOOST_TEST(it.removed(1) == "");
    } else {
      BOOST_TEST(it.listed({}) == "");
    }
    BOOST_TEST(it.empty());
  }
}

BOOST_AUTO_TEST_CASE(while_its_node_is_inspected) {
  subject it;
  it.connected();
  it.acquire(1);
  it.disconnected();
  it.connected();
  BOOST_TEST(it.listed({it.own(1, 5)}) == "inspect 1");
  BOOST_TEST(it.release(1) == "forget 1, delete 1");
  BOOST_TEST(it.inspected(1) == "");
  BOOST_TEST(it.removed(1) == "");
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace zklock::test

// Lost connections, ended sessions, nodes that other clients deleted.

#include "subject.hpp"

#include <boost/test/unit_test.hpp>

namespace zklock::test {

BOOST_AUTO_TEST_SUITE(queue_losses, *boost::unit_test::timeout(30))

BOOST_AUTO_TEST_CASE(an_idle_queue_asks_for_nothing_after_a_reconnect) {
  subject it;
  it.connected();
  it.disconnected();
  BOOST_TEST(it.connected() == "");
}

BOOST_AUTO_TEST_CASE(a_hold_survives_a_reconnect) {
  subject it;
  it.make_first();
  it.acquire(2);
  it.created(2, 6);
  it.disconnected();
  BOOST_TEST(it.acquire(3) == "");
  BOOST_TEST(it.connected() == "sync and list");
  BOOST_TEST(it.listed({it.own(1, 5), it.own(2, 6)}) == "create 3, watch directory");
  BOOST_TEST(it.release(1) == "delete 1 (2), grant 2");
}

BOOST_AUTO_TEST_CASE(nothing_is_granted_while_disconnected_or_recovering) {
  subject it;
  it.make_first();
  it.acquire(2);
  it.created(2, 6);
  it.disconnected();
  BOOST_TEST(it.release(1) == "");
  BOOST_TEST(it.connected() == "sync and list");
  BOOST_TEST(it.acquire(3) == "");
  BOOST_TEST(it.listed({it.own(1, 5), it.own(2, 6)}) ==
             "delete 1, grant 2, create 3, watch directory");
}

BOOST_AUTO_TEST_CASE(a_node_is_found_though_its_create_was_not_answered) {
  subject it;
  it.connected();
  it.acquire(1);
  it.disconnected();
  BOOST_TEST(it.connected() == "sync and list");
  BOOST_TEST(it.listed({it.own(1, 5)}) == "inspect 1");
  BOOST_TEST(it.inspected(1) == "grant 1");
}

BOOST_AUTO_TEST_CASE(readers_found_again_hold_in_the_order_of_their_entries) {
  subject it({.policy = queue::lock_policy::shared});
  const queue::lock_mode reads{.wants = queue::role::shared};
  it.connected();
  it.acquire(1, reads);
  it.acquire(2, reads);
  it.disconnected();
  it.connected();
  BOOST_TEST(it.listed({it.own(2, 6, reads.wants), it.own(1, 5, reads.wants)}) ==
             "inspect 2, inspect 1");
  BOOST_TEST(it.inspected(2) == "");
  BOOST_TEST(it.inspected(1) == "grant 1, grant 2");
}

BOOST_AUTO_TEST_CASE(a_node_found_with_too_high_a_number_is_deleted) {
  subject it;
  it.connected();
  it.acquire(1);
  it.disconnected();
  it.connected();
  BOOST_TEST(it.listed({it.own(1, queue::last_number + 1)}) == "refuse 1 (exhausted), delete 1");
}

BOOST_AUTO_TEST_CASE(a_create_that_did_not_happen_is_sent_again) {
  subject it;
  it.connected();
  it.acquire(1);
  it.disconnected();
  it.connected();
  BOOST_TEST(it.listed({it.other(4)}) == "create 2, list, watch directory");
}

BOOST_AUTO_TEST_CASE(a_delete_whose_answer_was_lost_is_settled) {
  for (const bool happened : {false, true}) {
    subject it;
    it.make_first();
    it.release(1);
    it.disconnected();
    BOOST_TEST(it.connected() == "sync and list");
    if (happened)
      BOOST_TEST(it.listed({}) == "forget 1");
    else
      BOOST_TEST(it.listed({it.own(1, 5)}) == "delete 1");
  }
}

BOOST_AUTO_TEST_CASE(node_of_no_known_entry_is_deleted) {
  subject it;
  it.connected();
  it.try_acquire(7);
  const auto name = it.own(3, 4);
  BOOST_TEST(it.listed({name}).starts_with("delete " + name));
}

BOOST_AUTO_TEST_CASE(a_hold_without_a_node_after_a_reconnect_is_lost) {
  subject it;
  it.make_first();
  it.disconnected();
  it.connected();
  BOOST_TEST(it.listed({}) == "lose 1 (deleted)");
}

BOOST_AUTO_TEST_CASE(a_hold_whose_node_is_missing_is_lost) {
  subject it;
  it.make_first();
  BOOST_TEST(it.missing(1) == "lose 1 (deleted)");
  BOOST_TEST(it.missing(1) == "");
}

// Even if a recursive delete removes all entries, at most one acquisition is granted by mistake.
BOOST_AUTO_TEST_CASE(nothing_more_is_granted_once_one_that_was_let_in_has_no_node) {
  subject it;
  it.make_first();
  for (acquisition_id id = 2; id <= 4; ++id) {
    it.acquire(id);
    it.created(id, 4 + static_cast<queue::sequence>(id));
  }
  BOOST_TEST(it.release(1) == "delete 1 (2), grant 2");
  BOOST_TEST(it.missing(2) == "lose 2 (deleted), list");
  BOOST_TEST(it.removed(1, queue::answer::no_node) == "forget 1");
  BOOST_TEST(it.listed({}, 8) == "create 5, list, create 6");
}

BOOST_AUTO_TEST_CASE(all_holds_and_places_in_line_are_lost_with_the_directory) {
  subject it;
  it.make_first();
  it.acquire(2);
  it.directory_watched();
  it.created(2, 6);
  BOOST_TEST(it.directory_changed(true) ==
             "lose 1 (deleted), make directory, create 3, list, watch directory");
}

BOOST_AUTO_TEST_CASE(numbers_that_do_not_rise_are_those_of_another_directory) {
  subject it;
  it.make_first();
  it.acquire(2);
  BOOST_TEST(it.created(2, 3) == "lose 1 (deleted), list");
  BOOST_TEST(it.listed({it.own(2, 3), it.other(2)}) == "watch 2");
}

BOOST_AUTO_TEST_CASE(a_hold_is_lost_where_there_is_no_directory) {
  subject it;
  it.make_first();
  it.acquire(2);
  BOOST_TEST(it.not_created(2, queue::answer::no_node) == "lose 1 (deleted), make parents");
}

BOOST_AUTO_TEST_CASE(of_two_with_one_number_the_later_is_there) {
  subject it;
  it.make_first();
  it.acquire(2);
  it.disconnected();
  it.connected();
  BOOST_TEST(it.listed({it.own(2, 5)}) == "lose 1 (deleted), inspect 2");
  BOOST_TEST(it.inspected(2) == "grant 2");
}

BOOST_AUTO_TEST_CASE(with_the_session_holds_end_and_waiters_start_again) {
  subject it;
  it.make_first();
  it.acquire(2);
  it.created(2, 6);
  it.acquire(3);
  it.release(3);
  it.disconnected();
  BOOST_TEST(it.expired() == "lose 1 (expired)");
  BOOST_TEST(it.connected() == "create 4, list, watch directory");
  BOOST_TEST(it.created(4, 7) == "");
  BOOST_TEST(it.listed({it.own(4, 7)}) == "grant 2 by 4");
}

BOOST_AUTO_TEST_CASE(what_was_to_be_deleted_goes_with_the_session) {
  subject it;
  it.make_first();
  it.release(1);
  it.disconnected();
  BOOST_TEST(it.expired() == "forget 1");
  BOOST_TEST(it.empty());
}

BOOST_AUTO_TEST_CASE(none_is_first_without_lists) {
  subject it;
  it.connected();
  it.acquire(1);
  it.created(1, 4);
  BOOST_TEST(it.not_listed(queue::answer::no_permission) == "refuse 1 (no permission), delete 1");
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace zklock::test

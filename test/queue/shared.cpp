// Readers and writers.
#include "subject.hpp"

#include <boost/test/unit_test.hpp>

#include <string>

using namespace zklock::test;
using zklock::queue::answer;
using zklock::queue::role;

namespace {

struct both_kinds {
  subject it{{.policy = zklock::queue::lock_policy::shared}};

  // Whether the writer has become a reader is not known, and no list tells.
  void make_unclear() {
    it.make_first();
    it.downgrade(1);
    it.disconnected();
    it.connected();
    it.not_listed(answer::no_permission);
  }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(readers_and_writers, both_kinds)

BOOST_AUTO_TEST_CASE(readers_hold_together_and_a_writer_waits_for_all_of_them) {
  it.connected();
  BOOST_TEST(it.acquire(1, reading) == "make directory, create 1, list");
  BOOST_TEST(it.acquire(2, reading) == "create 2, watch directory");
  it.acquire(3);
  it.acquire(4, reading);
  it.created(1, 5);
  BOOST_TEST(it.listed({it.own(1, 5, role::shared)}) == "grant 1");
  BOOST_TEST(it.created(2, 6) == "grant 2");
  it.created(3, 7);
  BOOST_TEST(it.created(4, 8) == "");
  BOOST_TEST(it.release(1) == "delete 1");
  BOOST_TEST(it.release(2) == "delete 2 (3), grant 3");
  BOOST_TEST(it.release(3) == "delete 3 (4), grant 4");
}

BOOST_AUTO_TEST_CASE(a_reader_watches_the_writers_before_it_only) {
  it.connected();
  it.acquire(1, reading);
  it.created(1, 9);
  BOOST_TEST(it.listed({it.other(5, role::shared), it.other(6), it.other(7, role::shared),
                        it.own(1, 9, role::shared)}) == "watch 6");
  // If a writer leaves and has become a reader, its reader does not matter to other readers.
  BOOST_TEST(it.deleted(6) == "grant 1");
}

BOOST_AUTO_TEST_CASE(a_writer_looks_whether_the_one_before_it_has_become_a_reader) {
  it.connected();
  it.acquire(1);
  it.created(1, 6);
  BOOST_TEST(it.listed({it.other(5), it.own(1, 6)}) == "watch 5");
  BOOST_TEST(it.deleted(5) == "list");
  BOOST_TEST(it.listed({it.other(5, role::shared), it.own(1, 6)}) == "watch 5");
  BOOST_TEST(it.deleted(5, role::shared) == "grant 1");
}

BOOST_AUTO_TEST_CASE(a_writer_that_is_said_twice_to_be_gone_may_still_read) {
  it.connected();
  it.acquire(1);
  it.created(1, 6);
  it.listed({it.other(5), it.own(1, 6)});
  BOOST_TEST(it.deleted(5) == "list");
  BOOST_TEST(it.watched(5, answer::no_node) == "");
  BOOST_TEST(it.listed({it.other(5, role::shared), it.own(1, 6)}) == "watch 5");
}

BOOST_AUTO_TEST_CASE(a_writer_that_has_left_needs_no_second_look) {
  it.connected();
  it.acquire(1);
  it.created(1, 6);
  it.listed({it.other(5), it.own(1, 6)});
  BOOST_TEST(it.deleted(5) == "list");
  BOOST_TEST(it.listed({it.own(1, 6)}) == "grant 1");
}

BOOST_FIXTURE_TEST_CASE(waiter_behind_an_entry_that_is_not_needed_moves_up, nothing) {
  subject it({.local_handoffs = 1, .policy = zklock::queue::lock_policy::shared});
  it.connected();
  it.acquire(1);
  it.acquire(2);
  it.created(1, 5);
  it.listed({it.own(1, 5)});
  it.created(2, 6);
  BOOST_TEST(it.release(1) == "forget 1, grant 2 by 1, turn 1");
  it.acquire(3, reading);
  it.created(3, 7);
  BOOST_TEST(it.release(2) == "delete 1, delete 2 (3), grant 3");
}

BOOST_AUTO_TEST_CASE(a_downgraded_writer_lets_readers_in_and_no_writer) {
  it.connected();
  it.acquire(1);
  it.acquire(2, reading);
  it.acquire(3);
  it.created(1, 5);
  it.listed({it.own(1, 5)});
  it.created(2, 6);
  it.created(3, 7);
  BOOST_TEST(it.downgrade(1) == "downgrade 1");
  BOOST_TEST(it.downgraded(1) == "downgraded 1, grant 2, check (2)");
  BOOST_TEST(it.release(2) == "delete 2");
  BOOST_TEST(it.release(1) == "delete 1 (3), grant 3");
}

BOOST_AUTO_TEST_CASE(a_writer_given_back_on_its_way_to_be_a_reader_is_deleted_by_its_new_name) {
  it.make_first();
  it.downgrade(1);
  BOOST_TEST(it.release(1) == "");
  BOOST_TEST(it.downgraded(1) == "delete 1");
  BOOST_TEST(it.removed(1) == "forget 1");
}

BOOST_FIXTURE_TEST_CASE(a_lost_connection_leaves_open_which_of_the_two_it_is, nothing) {
  for (const bool done : {true, false}) {
    subject it({.policy = zklock::queue::lock_policy::shared});
    it.make_first();
    it.downgrade(1);
    it.disconnected();
    BOOST_TEST(it.connected() == "sync and list");
    BOOST_TEST(it.listed({it.own(1, 5, done ? role::shared : role::exclusive)}) ==
               (done ? "downgraded 1" : "downgrade 1"));
  }
}

BOOST_FIXTURE_TEST_CASE(without_a_list_the_node_of_the_reader_tells_which_of_the_two_it_is,
                        nothing) {
  for (const bool given_back : {true, false}) {
    subject it({.policy = zklock::queue::lock_policy::shared});
    it.make_first();
    it.downgrade(1);
    if (given_back) it.release(1);
    it.disconnected();
    it.connected();
    BOOST_TEST(it.not_listed(answer::no_permission) == "inspect 1");
    BOOST_TEST(it.missing(1) == "");
    BOOST_TEST(it.inspected(1) == (given_back ? "delete 1" : "downgraded 1"));
    if (given_back) BOOST_TEST(it.removed(1) == "forget 1");
  }
}

BOOST_FIXTURE_TEST_CASE(node_of_the_reader_is_asked_for_again_where_that_is_refused, nothing) {
  for (const bool given_back : {true, false}) {
    both_kinds now;
    subject& it = now.it;
    now.make_unclear();
    if (given_back) it.release(1);
    BOOST_TEST(it.inspected(1, answer::failed) == "");
    BOOST_TEST(it.has_refused());
    BOOST_TEST(it.try_again() == "inspect 1");
    BOOST_TEST(it.inspected(1) == (given_back ? "delete 1" : "downgraded 1"));
  }
}

BOOST_FIXTURE_TEST_CASE(without_a_list_a_writer_that_is_not_a_reader_is_made_one_again, nothing) {
  for (const bool robbed : {true, false}) {
    both_kinds now;
    subject& it = now.it;
    now.make_unclear();
    BOOST_TEST(it.inspected(1, answer::no_node) == "downgrade 1");
    if (robbed)
      BOOST_TEST(it.downgraded(1, answer::no_node) == "lose 1 (deleted)");
    else
      BOOST_TEST(it.downgraded(1) == "downgraded 1");
  }
}

BOOST_FIXTURE_TEST_CASE(node_that_exists_is_deleted_when_given_back_while_unconfirmed, nothing) {
  for (const bool reads : {true, false}) {
    both_kinds now;
    subject& it = now.it;
    now.make_unclear();
    BOOST_TEST(it.release(1) == "");
    BOOST_TEST(it.inspected(1, reads ? answer::ok : answer::no_node) == "delete 1");
    BOOST_TEST(it.removed(1) == "forget 1");
  }
}

BOOST_AUTO_TEST_CASE(what_is_missing_may_have_another_name_meanwhile) {
  it.make_first();
  it.downgrade(1);
  it.downgraded(1);
  BOOST_TEST(it.missing(1, {.wants = role::exclusive}) == "");
  BOOST_TEST(it.missing(1, {.wants = role::shared}) == "lose 1 (deleted)");
}

BOOST_AUTO_TEST_CASE(try_to_read_gets_in_beside_readers_and_not_past_a_waiting_writer) {
  it.make_first(reading);
  BOOST_TEST(it.try_acquire(2, reading) == "list");
  BOOST_TEST(it.listed({it.own(1, 5, role::shared)}) == "create 2, watch directory");
  BOOST_TEST(it.created(2, 6) == "grant 2");
  it.acquire(3);
  BOOST_TEST(it.try_acquire(4, reading) == "refuse 4 (busy)");
}

BOOST_AUTO_TEST_CASE(readers_that_are_let_in_together_are_checked_together) {
  constexpr acquisition_id readers = 20;
  it.make_first();
  for (acquisition_id id = 2; id <= 1 + readers; ++id) {
    it.acquire(id, reading);
    it.created(id, 4 + static_cast<zklock::queue::sequence>(id));
  }
  std::string first;
  std::string grants;
  for (acquisition_id id = 2; id <= 1 + readers; ++id) {
    if (id <= 17) first += (first.empty() ? "" : " ") + std::to_string(id);
    grants += ", grant " + std::to_string(id);
  }
  BOOST_TEST(it.release(1) == "delete 1 (" + first + ")" + grants + ", check (18 19 20 21)");
}

BOOST_AUTO_TEST_CASE(reader_granted_beside_the_confirmed_one_is_checked) {
  it.make_first();
  it.acquire(2, reading);
  it.acquire(3, reading);
  it.created(2, 6);
  it.created(3, 7);
  it.proven = false;
  BOOST_TEST(it.release(1) == "delete 1, confirm 2");
  it.proven = true;
  BOOST_TEST(it.confirmed() == "grant 2, grant 3, check (3)");
}

BOOST_AUTO_TEST_SUITE_END()

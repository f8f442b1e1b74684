// Other clients delete own entries, and with them the directory: a directory that is made anew may
// have just the numbers that follow, and entries of other clients before the own entries.
#include "cache.hpp"
#include "permits.hpp"

#include <boost/test/unit_test.hpp>

#include <vector>

using namespace zklock::test;
using zklock::queue::answer;
using zklock::queue::lock_policy;
using zklock::queue::role;

namespace {

struct let_in {
  subject it;

  // Acquisition 2 holds by entry 2, which is taken to be in the directory of entry 1.
  let_in() {
    it.make_first();
    it.acquire(2);
    it.created(2, 6);
    it.release(1);
  }
};

struct two_readers {
  subject it{{.policy = lock_policy::shared}};

  two_readers() {
    it.make_first(reading);
    it.acquire(2, reading);
    it.created(2, 6);
  }
};

// Acquisition 2 holds, and is known to be alone. The delete of entry 1 was refused.
struct refused_delete : caching {
  refused_delete() {
    it.make_first();
    it.release(1);
    it.removed(1, answer::failed);
    it.acquire(2);
    it.created(2, 6);
    it.listed({it.own(1, 5), it.own(2, 6)});
    it.directory_watched();
    it.children_listed({it.own(1, 5), it.own(2, 6)});
  }
};

// Acquisition 2 is in line behind the first.
struct next_to_take : of_three {
  next_to_take() {
    it.make_first();
    it.acquire(2);
    it.created(2, 6);
  }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(another_directory, let_in)

BOOST_AUTO_TEST_CASE(hold_is_lost_where_another_client_turns_out_to_be_before_it) {
  BOOST_TEST(it.removed(1, answer::no_node) == "forget 1, list");
  BOOST_TEST(it.listed({it.other(5), it.own(2, 6)}) == "lose 2 (deleted), delete 2");
  BOOST_TEST(it.removed(2) == "");
  BOOST_TEST(it.empty());
}

BOOST_AUTO_TEST_CASE(hold_is_kept_where_no_other_client_is_before_it) {
  it.removed(1, answer::no_node);
  BOOST_TEST(it.listed({it.own(2, 6), it.other(7)}) == "");
  BOOST_TEST(it.release(2) == "delete 2");
}

BOOST_AUTO_TEST_CASE(hold_is_kept_where_a_name_before_it_was_given_by_hand) {
  it.removed(1, answer::no_node);
  BOOST_TEST(it.listed({it.other(-1), it.own(2, 6)}) == "");
}

BOOST_AUTO_TEST_CASE(name_that_is_given_by_hand_ends_no_hold_where_the_line_is_known) {
  it.acquire(3);
  BOOST_TEST(it.created(3, 8) == "list");
  BOOST_TEST(it.listed({it.other(3), it.own(2, 6), it.own(3, 8)}) == "");
}

BOOST_FIXTURE_TEST_CASE(name_that_is_given_by_hand_ends_no_hold_after_a_reconnect, nothing) {
  subject it;
  it.make_first();
  it.disconnected();
  it.connected();
  BOOST_TEST(it.listed({it.other(3), it.own(1, 5)}) == "");
}

// The list that was asked for is lost with the connection.
BOOST_AUTO_TEST_CASE(reconnect_settles_what_a_list_was_to_tell) {
  it.removed(1, answer::no_node);
  it.disconnected();
  it.connected();
  BOOST_TEST(it.listed({it.other(5), it.own(2, 6)}) == "lose 2 (deleted), delete 2");
}

BOOST_AUTO_TEST_CASE(deletion_of_ours_needs_no_list) {
  BOOST_TEST(it.removed(1) == "forget 1");
}

BOOST_AUTO_TEST_CASE(next_in_line_waits_for_the_other_client) {
  it.acquire(3);
  it.created(3, 7);
  it.removed(1, answer::no_node);
  BOOST_TEST(it.listed({it.other(5), it.own(2, 6), it.own(3, 7)}) ==
             "lose 2 (deleted), delete 2, watch 5");
}

// It was asked for behind the create of the entry that holds.
BOOST_FIXTURE_TEST_CASE(list_that_is_on_its_way_tells, two_readers) {
  BOOST_TEST(it.try_acquire(3, reading) == "list");
  BOOST_TEST(it.missing(1, {.wants = role::shared}) == "lose 1 (deleted)");
  BOOST_TEST(it.listed({it.other(5), it.own(2, 6, role::shared)}) ==
             "lose 2 (deleted), delete 2, refuse 3 (busy)");
}

BOOST_AUTO_TEST_CASE(list_that_is_refused_is_not_asked_for_again) {
  it.removed(1, answer::no_node);
  BOOST_TEST(it.not_listed(answer::no_permission) == "");
  BOOST_TEST(it.release(2) == "delete 2");
}

BOOST_AUTO_TEST_CASE(list_of_a_recovery_tells_as_well) {
  it.disconnected();
  it.connected();
  BOOST_TEST(it.listed({it.other(5), it.own(2, 6)}) == "forget 1, lose 2 (deleted), delete 2");
}

// A server that has not deleted the directory counts the children of the earlier directory.
BOOST_FIXTURE_TEST_CASE(holds_are_kept_where_only_a_list_has_counted_more_children, two_readers) {
  it.acquire(3, reading);
  BOOST_TEST(it.created(3, 8) == "list");
  const auto readers = [&] {
    return std::vector{it.own(1, 5, role::shared), it.own(2, 6, role::shared),
                       it.own(3, 8, role::shared)};
  };
  BOOST_TEST(it.listed(readers(), 22) == "grant 3");
  BOOST_TEST(it.acquire(4, reading) == "create 4, list");
  BOOST_TEST(it.created(4, 9) == "");
  auto all = readers();
  all.push_back(it.own(4, 9, role::shared));
  BOOST_TEST(it.listed(all, 22) == "grant 4");
}

// Entry 9 was in the earlier directory; a node 7 of this directory is not known.
BOOST_FIXTURE_TEST_CASE(node_of_an_earlier_directory_covers_no_number, two_readers) {
  BOOST_TEST(it.try_acquire(3, reading) == "list");
  const auto earlier = it.own(9, 7, role::shared);
  BOOST_TEST(it.listed({it.own(1, 5, role::shared), it.own(2, 6, role::shared), earlier}, 7) ==
             "delete " + earlier + ", create 3");
  it.orphan_removed(earlier, answer::no_node);
  BOOST_TEST(it.created(3, 8) == "list");
}

BOOST_FIXTURE_TEST_CASE(reader_is_checked_when_one_before_it_is_missing, two_readers) {
  BOOST_TEST(it.missing(1, {.wants = role::shared}) == "lose 1 (deleted), list");
  BOOST_TEST(it.listed({it.other(5), it.own(2, 6, role::shared)}) == "lose 2 (deleted), delete 2");
}

BOOST_FIXTURE_TEST_CASE(reader_is_checked_when_a_list_does_not_show_one_before_it, two_readers) {
  it.acquire(3, reading);
  BOOST_TEST(it.created(3, 8) == "list");
  BOOST_TEST(it.listed({it.other(5), it.own(2, 6, role::shared), it.own(3, 8, role::shared)}) ==
             "lose 1 (deleted), lose 2 (deleted), delete 2, watch 5");
}

BOOST_FIXTURE_TEST_CASE(other_readers_before_a_reader_do_not_matter, two_readers) {
  it.missing(1, {.wants = role::shared});
  BOOST_TEST(it.listed({it.other(5, role::shared), it.own(2, 6, role::shared)}) == "");
}

BOOST_FIXTURE_TEST_CASE(cached_entry_goes_when_another_entry_was_deleted, refused_delete) {
  BOOST_TEST(it.release(2) == "forget 2");
  it.try_again();
  BOOST_TEST(it.removed(1, answer::no_node) == "forget 1, delete 2");
}

BOOST_FIXTURE_TEST_CASE(what_holds_is_not_handed_over_until_others_are_known, refused_delete) {
  BOOST_TEST(it.acquire(3) == "");
  it.try_again();
  BOOST_TEST(it.removed(1, answer::no_node) == "forget 1, create 3, list");
  BOOST_TEST(it.release(2) == "delete 2");
}

BOOST_FIXTURE_TEST_CASE(writer_that_is_gone_before_it_becomes_a_reader_was_no_pin, nothing) {
  subject it{{.policy = lock_policy::shared}};
  it.make_first();
  it.acquire(2, reading);
  it.created(2, 6);
  it.downgrade(1);
  it.release(1);
  BOOST_TEST(it.downgraded(1, answer::no_node) == "forget 1, list");
}

BOOST_FIXTURE_TEST_CASE(permits_are_given_back_where_an_entry_before_was_no_pin, next_to_take) {
  BOOST_TEST(it.release(1) == "forget 1, delete 1");
  BOOST_TEST(it.permits_listed() == "take 1 for 2");
  BOOST_TEST(it.removed(1, answer::no_node) == "");
  BOOST_TEST(it.taken(2) == "delete 1 permit of 2, create 3, list, list permits");
}

// It is not known whether entry 1 existed.
BOOST_FIXTURE_TEST_CASE(permits_are_given_back_where_an_entry_before_could_not_be_deleted,
                        nothing) {
  for (const auto refused : {answer::failed, answer::no_permission}) {
    next_to_take now;
    now.it.release(1);
    now.it.permits_listed();
    now.it.removed(1, refused);
    BOOST_TEST(now.it.taken(2).starts_with("delete 1 permit of 2"));
  }
}

// No later list could tell that the permits were taken before their turn.
BOOST_FIXTURE_TEST_CASE(permits_wait_for_a_list_where_an_entry_before_could_not_be_deleted,
                        next_to_take) {
  it.release(1);
  BOOST_TEST(it.removed(1, answer::failed) == "list");
  BOOST_TEST(it.permits_listed() == "");
  BOOST_TEST(it.listed({it.other(5), it.own(2, 6)}) == "watch 5");
}

BOOST_FIXTURE_TEST_CASE(entry_that_could_not_be_deleted_and_is_listed_was_a_pin, next_to_take) {
  it.release(1);
  it.removed(1, answer::failed);
  it.permits_listed();
  BOOST_TEST(it.listed({it.own(1, 5), it.own(2, 6)}) == "list permits");
  BOOST_TEST(it.permits_listed() == "take 1 for 2");
  BOOST_TEST(it.taken(2) == "grant 2");
  BOOST_TEST(it.try_again() == "delete 1");
  BOOST_TEST(it.removed(1, answer::no_node) == "");
}

// The answers to both takes are lost.
BOOST_FIXTURE_TEST_CASE(permits_are_given_back_where_an_entry_before_took_none, next_to_take) {
  BOOST_TEST(it.permits_listed() == "take 1 for 1, take 1 for 2");
  it.disconnected();
  it.connected();
  it.permits_listed({it.permit(2)});
  BOOST_TEST(it.listed({}).starts_with("delete 1 permit of 2"));
}

// So is the answer to the delete.
BOOST_FIXTURE_TEST_CASE(permits_are_given_back_where_an_entry_before_is_gone, next_to_take) {
  it.release(1);
  BOOST_TEST(it.permits_listed() == "take 1 for 2");
  it.disconnected();
  it.connected();
  it.permits_listed({it.permit(2)});
  BOOST_TEST(it.listed({}).starts_with("delete 1 permit of 2"));
}

BOOST_FIXTURE_TEST_CASE(permits_are_granted_where_an_entry_before_has_taken_some, next_to_take) {
  it.permits_listed();
  it.disconnected();
  it.connected();
  it.permits_listed({it.permit(1), it.permit(2)});
  BOOST_TEST(it.listed({}) == "inspect permit of 1, inspect permit of 2");
  BOOST_TEST(it.inspected(2) == "grant 2");
}

BOOST_AUTO_TEST_CASE(hold_is_checked_where_an_entry_before_could_not_be_deleted) {
  BOOST_TEST(it.removed(1, answer::no_permission) == "forget 1 (no permission), list");
  BOOST_TEST(it.listed({it.other(5), it.own(2, 6)}) == "lose 2 (deleted), delete 2");
}

BOOST_FIXTURE_TEST_CASE(permits_are_given_back_after_a_reconnect_as_well, next_to_take) {
  it.release(1);
  it.permits_listed();
  it.removed(1, answer::no_node);
  it.disconnected();
  it.connected();
  it.permits_listed({it.permit(2)});
  BOOST_TEST(it.listed({}) ==
             "delete 1 permit of 2, create 3, list, list permits, watch directory");
}

BOOST_FIXTURE_TEST_CASE(entry_that_could_not_take_permits_is_in_line_as_before, next_to_take) {
  it.release(1);
  it.permits_listed();
  it.removed(1, answer::no_node);
  BOOST_TEST(it.taken(2, answer::no_node) == "make parents");
  BOOST_TEST(it.directory_made() == "list");
  it.listed({it.own(2, 6)});
  BOOST_TEST(it.permits_listed() == "take 1 for 2");
  BOOST_TEST(it.taken(2) == "grant 2");
}

BOOST_AUTO_TEST_SUITE_END()

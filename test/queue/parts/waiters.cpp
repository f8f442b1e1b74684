// How acquisitions are matched with entries.
#include "queue/waiters.hpp"

#include <boost/test/unit_test.hpp>

#include <vector>

namespace zklock::test {

using queue::acquisition_id;
using queue::entry;
using queue::role;
using queue::waiters;

namespace {

struct matched {
  waiters it{std::pmr::get_default_resource()};

  // So many wait, and there are entries for them.
  void enter(acquisition_id count) {
    for (acquisition_id id = 1; id <= count; ++id) {
      it.wait(id, {});
      it.enter_line(it.first_waiting());
    }
  }
};

std::size_t rank_of(const waiters& it, acquisition_id id) {
  return static_cast<std::size_t>(it.find_in_line(id).value().before);
}

} // namespace

BOOST_FIXTURE_TEST_SUITE(queue_waiters, matched, *boost::unit_test::timeout(30))

BOOST_AUTO_TEST_CASE(acquisition_waits_without_an_entry_until_one_is_created) {
  it.wait(1, {.wants = role::shared, .permits = 2});
  BOOST_TEST(it.is_any_waiting());
  BOOST_TEST((it.waiting(it.first_waiting()).wants == role::shared));
  BOOST_TEST(it.waiting_before(1).value() == 0u);
  it.enter_line(it.first_waiting());
  BOOST_TEST(!it.is_any_waiting());
  BOOST_TEST(it.is_waiting(1));
  BOOST_TEST(it.first_in_line(role::shared).value() == 2u);
  BOOST_TEST(!it.first_in_line(role::exclusive).has_value());
  BOOST_TEST(it.entries_in_line() == 1u);
}

BOOST_AUTO_TEST_CASE(oldest_in_line_is_assigned_first) {
  enter(2);
  entry first{.id = 7, .wants = role::exclusive};
  it.assign(first);
  BOOST_TEST(first.acquisition == 1u);
  BOOST_TEST(it.find_assigned(1) == &first);
  BOOST_TEST(!it.is_waiting(1));
  BOOST_TEST(rank_of(it, 2) == 0u);
  BOOST_TEST(it.entries_in_line() == 1u);
  it.unassign(1);
  BOOST_TEST(it.find_assigned(1) == nullptr);
}

BOOST_AUTO_TEST_CASE(lost_entry_requeues_the_newest) {
  enter(3);
  it.remove_entry(role::exclusive);
  BOOST_TEST(it.waiting_before(3).value() == 0u);
  BOOST_TEST(rank_of(it, 2) == 1u);
}

BOOST_AUTO_TEST_CASE(refused_entry_takes_the_newest_with_it) {
  enter(2);
  BOOST_TEST(it.refuse_entry(role::exclusive, 2).value() == 2u);
  BOOST_TEST(!it.is_waiting(2));
}

BOOST_AUTO_TEST_CASE(refused_entry_takes_none_that_began_later) {
  enter(3);
  BOOST_TEST(it.refuse_entry(role::exclusive, 1).value() == 1u);
  BOOST_TEST(!it.refuse_entry(role::exclusive, 1).has_value());
  BOOST_TEST(it.waiting_before(3).value() == 0u);
  BOOST_TEST(rank_of(it, 2) == 0u);
}

BOOST_AUTO_TEST_CASE(entry_that_is_left_is_matched_with_the_next_that_waits) {
  enter(2);
  it.leave_line(1);
  BOOST_TEST(!it.is_needed(role::exclusive));
  it.wait(3, {});
  it.match();
  BOOST_TEST(it.is_needed(role::exclusive));
  BOOST_TEST(rank_of(it, 3) == 1u);
}

BOOST_AUTO_TEST_CASE(entry_of_another_role_is_not_matched) {
  enter(1);
  it.leave_line(1);
  it.wait(2, {.wants = role::shared});
  it.match();
  BOOST_TEST(it.is_any_waiting());
}

BOOST_AUTO_TEST_CASE(requeued_acquisition_takes_the_place_of_a_newer_one) {
  enter(2);
  entry e{.id = 7, .wants = role::exclusive};
  it.assign(e);
  it.requeue(1);
  BOOST_TEST(rank_of(it, 1) == 0u);
  BOOST_TEST(it.waiting_before(2).value() == 0u);
}

BOOST_AUTO_TEST_CASE(requeued_acquisition_waits_where_only_older_ones_are_in_line) {
  enter(2);
  entry first{.id = 7, .wants = role::exclusive};
  entry second{.id = 8, .wants = role::exclusive};
  it.assign(first);
  it.assign(second);
  it.requeue(1);
  it.requeue(2);
  BOOST_TEST(it.waiting_before(1).value() == 0u);
  BOOST_TEST(it.waiting_before(2).value() == 1u);
}

// Where room is scarce, 3 is in line by room that it has brought, and 1 waits.
BOOST_AUTO_TEST_CASE(entry_of_a_newer_one_is_for_the_oldest_that_waits) {
  enter(2);
  entry first{.id = 7, .wants = role::exclusive};
  entry second{.id = 8, .wants = role::exclusive};
  it.assign(first);
  it.assign(second);
  it.requeue(1);
  it.wait(3, {.has_room = true});
  it.enter_line(3);
  it.requeue(2);
  BOOST_TEST(rank_of(it, 1) == 0u);
  BOOST_TEST(it.waiting_before(2).value() == 0u);
  BOOST_TEST(it.waiting_before(3).value() == 1u);
}

// The room is scarce still when 2 has lost its entry as well.
BOOST_AUTO_TEST_CASE(entries_of_newer_ones_are_for_all_that_wait) {
  enter(4);
  entry first{.id = 7, .wants = role::exclusive};
  entry second{.id = 8, .wants = role::exclusive};
  it.assign(first);
  it.wait_again(role::exclusive);
  it.assign(second);
  it.wait(5, {.has_room = true});
  it.enter_line(5);
  it.requeue(3);
  BOOST_TEST(rank_of(it, 2) == 0u);
  BOOST_TEST(rank_of(it, 3) == 1u);
  BOOST_TEST(it.waiting_before(4).value() == 0u);
  BOOST_TEST(it.waiting_before(5).value() == 1u);
}

// Acquisition 1 takes the entry of 2, and 2 takes the entry of 4.
BOOST_AUTO_TEST_CASE(entry_that_is_back_in_line_lets_no_newer_one_overtake) {
  enter(4);
  entry first{.id = 7, .wants = role::exclusive};
  entry second{.id = 8, .wants = role::exclusive};
  it.assign(first);
  it.assign(second);
  it.leave_line(3);
  it.remove_entry(role::exclusive);
  BOOST_TEST(rank_of(it, 4) == 0u);
  it.unassign(1);
  it.wait(1, {});
  it.requeue_with_entry(second);
  BOOST_TEST(rank_of(it, 1) == 0u);
  BOOST_TEST(rank_of(it, 2) == 1u);
  BOOST_TEST(it.waiting_before(4).value() == 0u);
}

BOOST_AUTO_TEST_CASE(entry_that_is_back_in_line_is_for_the_oldest_that_waits) {
  enter(2);
  entry first{.id = 7, .wants = role::exclusive};
  entry second{.id = 8, .wants = role::exclusive};
  it.assign(first);
  it.assign(second);
  it.requeue(1);
  it.requeue_with_entry(second);
  BOOST_TEST(second.acquisition == 0u);
  BOOST_TEST(rank_of(it, 1) == 0u);
  BOOST_TEST(it.waiting_before(2).value() == 0u);
}

BOOST_AUTO_TEST_CASE(try_is_assigned_to_its_own_entry_and_an_attempt_again_without) {
  it.add_attempt(1, {.permits = 2});
  entry e{.id = 7, .wants = role::exclusive};
  it.assign_attempt(1, e);
  BOOST_TEST(it.without_entry().empty());
  BOOST_TEST(it.is_any_trying_in_line());
  BOOST_TEST(it.permits_of_try(1) == 2u);
  BOOST_TEST(it.entries_in_line() == 1u);
  it.requeue(1);
  BOOST_TEST(!it.is_any_trying_in_line());
  BOOST_REQUIRE(it.without_entry().fresh().size() == 1u);
  BOOST_TEST(it.without_entry().fresh()[0].asked.permits == 2u);
}

BOOST_AUTO_TEST_CASE(try_that_holds_is_in_line_no_longer) {
  it.add_attempt(1, {});
  entry e{.id = 7, .wants = role::exclusive};
  it.assign_attempt(1, e);
  it.stop_trying(1);
  BOOST_TEST(it.entries_in_line() == 0u);
  BOOST_TEST(it.find_assigned(1) == &e);
  it.unassign(1);
  BOOST_TEST(it.entries_in_line() == 0u);
}

BOOST_AUTO_TEST_CASE(attempts_ask_again_after_a_lost_connection) {
  it.add_attempt(1, {});
  it.without_entry().probe(5);
  BOOST_TEST(it.without_entry().fresh().empty());
  it.without_entry().disconnected();
  BOOST_TEST(it.without_entry().fresh().size() == 1u);
}

BOOST_AUTO_TEST_CASE(attempt_is_answered_by_a_list_that_began_after_it) {
  it.add_attempt(1, {});
  it.without_entry().probe(5);
  it.add_attempt(2, {});
  it.without_entry().probe(7);
  BOOST_TEST(it.without_entry().answered_by(4).empty());
  BOOST_REQUIRE(it.without_entry().answered_by(6).size() == 1u);
  BOOST_TEST(it.without_entry().answered_by(6)[0].id == 1u);
  BOOST_TEST(it.without_entry().answered_by(7).size() == 2u);
}

BOOST_AUTO_TEST_CASE(abandoned_entries_count_as_in_line) {
  it.add_abandoned();
  BOOST_TEST(it.entries_in_line() == 1u);
  it.remove_abandoned();
  BOOST_TEST(it.entries_in_line() == 0u);
}

BOOST_AUTO_TEST_CASE(entry_handed_over_keeps_the_one_meant_for_the_next) {
  enter(2);
  entry e{.id = 7, .wants = role::exclusive};
  it.assign(e);
  it.unassign(1);
  BOOST_TEST(it.is_next(role::exclusive));
  it.hand_over(role::exclusive);
  it.assign(e);
  BOOST_TEST(e.acquisition == 2u);
  BOOST_TEST(it.is_needed(role::exclusive));
  it.end_hand_overs(role::exclusive);
  BOOST_TEST(!it.is_needed(role::exclusive));
}

BOOST_AUTO_TEST_CASE(entry_is_not_for_the_next_where_that_wants_another_role) {
  BOOST_TEST(!it.is_next(role::exclusive));
  it.wait(1, {.wants = role::shared});
  BOOST_TEST(!it.is_next(role::exclusive));
  BOOST_TEST(it.is_next(role::shared));
  it.enter_line(it.first_waiting());
  it.wait(2, {});
  BOOST_TEST(!it.is_next(role::exclusive));
}

BOOST_AUTO_TEST_CASE(all_that_are_not_assigned_are_withdrawn_with_their_entries_left) {
  enter(1);
  it.wait(2, {});
  it.add_attempt(3, {});
  BOOST_TEST(it.newest() == 3U);
  const std::vector<acquisition_id> expected{1, 2, 3};
  BOOST_TEST(it.withdraw_until(3) == expected, boost::test_tools::per_element());
  BOOST_TEST(it.empty());
  BOOST_TEST(!it.is_waiting(1));
  BOOST_TEST(!it.is_needed(role::exclusive));
}

BOOST_AUTO_TEST_CASE(those_that_began_later_are_not_withdrawn) {
  enter(2);
  it.wait(3, {});
  const std::vector<acquisition_id> expected{1};
  BOOST_TEST(it.withdraw_until(1) == expected, boost::test_tools::per_element());
  BOOST_TEST(it.count_after(1) == 2U);
  BOOST_TEST(it.count_after(2) == 1U);
  BOOST_TEST(it.is_waiting(2));
}

BOOST_AUTO_TEST_CASE(those_that_want_too_much_are_found) {
  it.wait(1, {.permits = 3});
  it.enter_line(it.first_waiting());
  it.wait(2, {.permits = 3});
  it.wait(3, {.permits = 2});
  it.add_attempt(4, {.permits = 3});
  const std::vector<acquisition_id> withdrawn{2, 4};
  BOOST_TEST(it.withdraw_above(2) == withdrawn, boost::test_tools::per_element());
  const std::vector<acquisition_id> in_line{1};
  BOOST_TEST(it.in_line_above(2) == in_line, boost::test_tools::per_element());
  BOOST_TEST(it.is_waiting(1));
  BOOST_TEST(it.is_waiting(3));
}

BOOST_AUTO_TEST_CASE(only_those_without_an_entry_are_withdrawn_one_by_one) {
  enter(1);
  it.wait(2, {});
  it.add_attempt(3, {});
  BOOST_TEST(!it.withdraw(1));
  BOOST_TEST(it.withdraw(2));
  BOOST_TEST(it.withdraw(3));
  BOOST_TEST(it.empty());
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace zklock::test

// How acquisitions are counted, and matched with entries by their order.
#include "queue/demands.hpp"

#include <boost/test/unit_test.hpp>

#include <optional>
#include <vector>

namespace zklock::test {

using queue::demand;
using queue::demand_id;
using queue::demands;
using queue::lock_mode;
using queue::role;

namespace {

const lock_mode reads{.wants = role::shared};

struct demanded {
  // So many acquisitions with an entry each, and a demand each: 1, 2, and so on.
  void enter(std::size_t count, lock_mode asked = {}) {
    for (; count != 0; --count) {
      it.add(asked);
      it.mark();
      it.add_entry(asked.wants);
    }
  }

  // The turn of the first acquisition in line has come.
  demand take_with_entry() {
    const auto taken = it.take_first(role::exclusive);
    it.remove_entry(role::exclusive);
    return taken;
  }

  std::size_t rank_of(demand_id id, std::size_t nth = 0) const {
    return it.find(id, nth).value().in_line.value().before;
  }

  std::size_t waiting_before(demand_id id, std::size_t nth = 0) const {
    const auto found = it.find(id, nth).value();
    BOOST_TEST(!found.in_line.has_value());
    return found.waiting;
  }

  std::size_t probed(std::uint64_t order) const { return it.tries().answered_by(order).size(); }

  demands it;
};

std::vector<demand_id> ids_of(const std::vector<demand>& some) {
  std::vector<demand_id> ids;
  for (const auto& each : some)
    ids.push_back(each.id);
  return ids;
}

} // namespace

BOOST_FIXTURE_TEST_SUITE(queue_demands, demanded, *boost::unit_test::timeout(30))

// Demands.

BOOST_AUTO_TEST_CASE(acquisition_joins_the_newest_demand_of_its_mode) {
  const auto first = it.add({.permits = 2});
  BOOST_TEST(it.add({.permits = 2}) == first);
  BOOST_TEST(it.count_after(0) == 2u);
  BOOST_TEST(it.mark() == first);
}

BOOST_AUTO_TEST_CASE(acquisition_with_another_mode_begins_a_demand) {
  BOOST_TEST(it.add({}) == 1u);
  BOOST_TEST(it.add({.permits = 2}) == 2u);
  BOOST_TEST(it.add({.has_room = true}) == 3u);
  BOOST_TEST(it.add(reads) == 4u);
  BOOST_TEST(it.add({.has_room = true}) == 5u);
  BOOST_TEST(it.add(reads) == 6u);
  BOOST_TEST(it.add(reads) == 6u);
}

BOOST_AUTO_TEST_CASE(acquisition_after_a_mark_begins_a_demand) {
  const auto first = it.add({});
  BOOST_TEST(it.mark() == first);
  const auto second = it.add({});
  BOOST_TEST(second > first);
  BOOST_TEST(it.add({}) == second);
  BOOST_TEST(it.count_after(first) == 2u);
}

BOOST_AUTO_TEST_CASE(acquisition_after_a_try_begins_a_demand) {
  const auto first = it.add({});
  const auto tries = it.next_try();
  BOOST_TEST(tries > first);
  BOOST_TEST(it.add({}) > tries);
}

BOOST_AUTO_TEST_CASE(acquisition_after_the_last_of_the_newest_demand_begins_a_demand) {
  const auto first = it.add({});
  it.remove(first);
  BOOST_TEST(it.is_idle());
  BOOST_TEST(it.add({}) > first);
}

BOOST_AUTO_TEST_CASE(acquisition_that_is_left_of_a_demand_is_joined_still) {
  const auto first = it.add({});
  it.add({});
  it.remove(first);
  BOOST_TEST(it.add({}) == first);
}

// Acquisitions in line.

BOOST_AUTO_TEST_CASE(acquisition_waits_without_an_entry_until_one_is_created) {
  const auto id = it.add({.wants = role::shared, .permits = 2});
  BOOST_TEST(it.is_any_waiting());
  BOOST_TEST(!it.empty());
  BOOST_REQUIRE(it.next().has_value());
  BOOST_TEST(it.next()->id == id);
  BOOST_TEST((it.next()->asked == lock_mode{.wants = role::shared, .permits = 2}));
  BOOST_TEST(!it.first(role::shared).has_value());
  BOOST_TEST(waiting_before(id) == 0u);
  it.add_entry(role::shared);
  BOOST_TEST(!it.is_any_waiting());
  BOOST_TEST(!it.next().has_value());
  BOOST_TEST(it.empty());
  BOOST_TEST(!it.is_idle());
  BOOST_TEST(rank_of(id) == 0u);
  BOOST_TEST(it.first(role::shared).value().asked.permits == 2u);
  BOOST_TEST(!it.first(role::exclusive).has_value());
  BOOST_TEST(it.entries(role::shared) == 1u);
  BOOST_TEST(it.entries(role::exclusive) == 0u);
}

BOOST_AUTO_TEST_CASE(oldest_in_line_is_taken_first) {
  enter(2);
  BOOST_TEST(it.first(role::exclusive).value().id == 1u);
  BOOST_TEST(take_with_entry().id == 1u);
  BOOST_TEST(!it.find(1, 0).has_value());
  BOOST_TEST(rank_of(2) == 0u);
  BOOST_TEST(take_with_entry().id == 2u);
  BOOST_TEST(!it.first(role::exclusive).has_value());
  BOOST_TEST(it.is_idle());
}

BOOST_AUTO_TEST_CASE(acquisitions_of_a_demand_are_taken_one_by_one) {
  const auto id = it.add({});
  it.add({});
  it.add_entry(role::exclusive);
  BOOST_TEST(it.take_first(role::exclusive).id == id);
  BOOST_TEST(it.first(role::exclusive).value().id == id);
  BOOST_TEST(it.take_first(role::exclusive).id == id);
  BOOST_TEST(!it.first(role::exclusive).has_value());
}

BOOST_AUTO_TEST_CASE(lost_entry_requeues_the_newest) {
  enter(3);
  it.remove_entry(role::exclusive);
  BOOST_TEST(waiting_before(3) == 0u);
  BOOST_TEST(rank_of(2) == 1u);
  BOOST_TEST(it.next().value().id == 3u);
}

BOOST_AUTO_TEST_CASE(refused_entry_takes_the_newest_with_it) {
  enter(2);
  BOOST_TEST(it.take_last(role::exclusive, 2).value() == 2u);
  BOOST_TEST(!it.find(2, 0).has_value());
  BOOST_TEST(rank_of(1) == 0u);
}

BOOST_AUTO_TEST_CASE(refused_entry_takes_none_that_began_later) {
  enter(3);
  BOOST_TEST(it.take_last(role::exclusive, 1).value() == 1u);
  it.remove_entry(role::exclusive);
  BOOST_TEST(!it.take_last(role::exclusive, 1).has_value());
  BOOST_TEST(rank_of(2) == 0u);
  BOOST_TEST(rank_of(3) == 1u);
}

BOOST_AUTO_TEST_CASE(refused_entry_takes_none_that_waits_without_an_entry) {
  enter(1);
  const auto second = it.add({});
  it.add({});
  BOOST_TEST(it.take_last(role::exclusive, second).value() == 1u);
  it.remove_entry(role::exclusive);
  BOOST_TEST(!it.take_last(role::exclusive, second).has_value());
  BOOST_TEST(it.count_after(0) == 2u);
}

BOOST_AUTO_TEST_CASE(refused_entry_takes_none_where_an_entry_has_no_acquisition) {
  enter(2);
  it.remove(2);
  BOOST_TEST(!it.take_last(role::exclusive, 2).has_value());
  BOOST_TEST(rank_of(1) == 0u);
}

BOOST_AUTO_TEST_CASE(refused_entry_takes_none_of_another_role) {
  enter(1, reads);
  BOOST_TEST(!it.take_last(role::exclusive, 1).has_value());
  BOOST_TEST(it.take_last(role::shared, 1).value() == 1u);
}

BOOST_AUTO_TEST_CASE(entry_that_is_left_is_matched_with_the_next_that_waits) {
  enter(2);
  it.remove(1);
  BOOST_TEST(!it.is_needed(role::exclusive));
  const auto third = it.add({});
  BOOST_TEST(it.is_needed(role::exclusive));
  BOOST_TEST(rank_of(third) == 1u);
}

BOOST_AUTO_TEST_CASE(entry_of_another_role_is_not_matched) {
  enter(1);
  it.remove(1);
  const auto second = it.add(reads);
  BOOST_TEST(it.is_any_waiting());
  BOOST_TEST(waiting_before(second) == 0u);
  BOOST_TEST(!it.is_needed(role::exclusive));
}

BOOST_AUTO_TEST_CASE(next_is_the_oldest_without_an_entry_of_either_role) {
  it.add(reads);
  it.add({});
  it.add(reads);
  BOOST_TEST(it.next().value().id == 1u);
  it.add_entry(role::exclusive);
  BOOST_TEST(it.next().value().id == 1u);
  it.add_entry(role::shared);
  BOOST_TEST(it.next().value().id == 3u);
  it.remove_entry(role::exclusive);
  BOOST_TEST(it.next().value().id == 2u);
}

BOOST_AUTO_TEST_CASE(next_of_a_demand_has_others_of_the_demand_in_line) {
  const auto id = it.add({});
  it.add({});
  it.add_entry(role::exclusive);
  BOOST_TEST(it.next().value().id == id);
  BOOST_TEST(rank_of(id, 0) == 0u);
  BOOST_TEST(waiting_before(id, 1) == 0u);
  it.add_entry(role::exclusive);
  BOOST_TEST(!it.next().has_value());
}

BOOST_AUTO_TEST_CASE(next_that_has_brought_its_room_is_behind_others_without_an_entry) {
  it.add({});
  BOOST_TEST(!it.next_brought().has_value());
  const auto shared = it.add({.wants = role::shared, .has_room = true});
  const auto exclusive = it.add({.has_room = true});
  BOOST_TEST(it.next().value().id == 1u);
  BOOST_TEST(it.next_brought().value().id == shared);
  it.add_entry(role::shared);
  BOOST_TEST(it.next_brought().value().id == exclusive);
  it.add_entry(role::exclusive);
  BOOST_TEST(it.next_brought().value().id == exclusive);
  it.add_entry(role::exclusive);
  BOOST_TEST(!it.next_brought().has_value());
}

BOOST_AUTO_TEST_CASE(last_in_line_has_brought_its_room_or_an_earlier_one_has) {
  enter(1, {.has_room = true});
  BOOST_TEST(it.has_last_brought(role::exclusive));
  BOOST_TEST(!it.has_last_brought(role::shared));
  it.add_entry(role::exclusive);
  BOOST_TEST(!it.has_last_brought(role::exclusive));
  it.add({});
  BOOST_TEST(!it.has_last_brought(role::exclusive));
  it.remove_entry(role::exclusive);
  BOOST_TEST(it.has_last_brought(role::exclusive));
  it.remove_entry(role::exclusive);
  BOOST_TEST(!it.has_last_brought(role::exclusive));
}

BOOST_AUTO_TEST_CASE(demand_at_a_place_is_that_of_its_acquisition) {
  const auto first = it.add({});
  it.add({});
  it.mark();
  const auto second = it.add({});
  const auto at = [&](role wants, std::size_t before) {
    return it.at({.wants = wants, .before = before});
  };
  BOOST_TEST(at(role::exclusive, 0).value() == first);
  BOOST_TEST(at(role::exclusive, 1).value() == first);
  BOOST_TEST(at(role::exclusive, 2).value() == second);
  BOOST_TEST(!at(role::exclusive, 3).has_value());
  BOOST_TEST(!at(role::shared, 0).has_value());
}

// Acquisitions that are put back.

BOOST_AUTO_TEST_CASE(requeued_acquisition_takes_the_place_of_a_newer_one) {
  enter(2);
  const auto lost = take_with_entry();
  it.add_again(lost);
  BOOST_TEST(rank_of(1) == 0u);
  BOOST_TEST(waiting_before(2) == 0u);
}

BOOST_AUTO_TEST_CASE(requeued_acquisition_waits_where_only_older_ones_are_in_line) {
  enter(2);
  const auto first = take_with_entry();
  const auto second = take_with_entry();
  it.add_again(second);
  it.add_again(first);
  BOOST_TEST(waiting_before(1) == 0u);
  BOOST_TEST(waiting_before(2) == 1u);
  it.add_entry(role::exclusive);
  BOOST_TEST(rank_of(1) == 0u);
  BOOST_TEST(waiting_before(2) == 0u);
}

BOOST_AUTO_TEST_CASE(entries_of_newer_ones_are_for_all_that_wait) {
  enter(4);
  const auto first = take_with_entry();
  const auto second = take_with_entry();
  it.add_again(second);
  BOOST_TEST(rank_of(2) == 0u);
  BOOST_TEST(rank_of(3) == 1u);
  BOOST_TEST(waiting_before(4) == 0u);
  it.add_again(first);
  BOOST_TEST(rank_of(1) == 0u);
  BOOST_TEST(rank_of(2) == 1u);
  BOOST_TEST(waiting_before(3) == 0u);
  BOOST_TEST(waiting_before(4) == 1u);
}

BOOST_AUTO_TEST_CASE(requeued_acquisition_is_one_of_its_demand_again) {
  const auto id = it.add({.permits = 2});
  it.add({.permits = 2});
  it.add_entry(role::exclusive);
  it.add_again(take_with_entry());
  BOOST_TEST(it.count_after(0) == 2u);
  BOOST_TEST(waiting_before(id, 1) == 1u);
  BOOST_TEST((it.next().value().asked == lock_mode{.permits = 2}));
}

BOOST_AUTO_TEST_CASE(requeued_acquisition_of_the_newest_demand_is_not_joined) {
  enter(1);
  it.add_again(take_with_entry());
  BOOST_TEST(it.add({}) == 2u);
}

// Acquisitions that give up.

BOOST_AUTO_TEST_CASE(acquisition_that_gives_up_leaves_its_place_in_line) {
  enter(3);
  const auto removed = it.remove(2);
  BOOST_TEST(removed.found);
  BOOST_REQUIRE(removed.in_line.has_value());
  BOOST_TEST((removed.in_line->wants == role::exclusive));
  BOOST_TEST(removed.in_line->before == 1u);
  BOOST_TEST(rank_of(3) == 1u);
  BOOST_TEST(it.entries(role::exclusive) == 3u);
}

BOOST_AUTO_TEST_CASE(last_of_a_demand_gives_up) {
  const auto id = it.add({});
  it.add({});
  it.add({});
  it.add_entry(role::exclusive);
  it.add_entry(role::exclusive);
  const auto third = it.remove(id);
  BOOST_TEST(third.found);
  BOOST_TEST(!third.in_line.has_value());
  BOOST_TEST(it.remove(id).in_line.value().before == 1u);
  BOOST_TEST(it.remove(id).in_line.value().before == 0u);
  BOOST_TEST(!it.remove(id).found);
  BOOST_TEST(it.is_idle());
}

BOOST_AUTO_TEST_CASE(acquisition_without_an_entry_gives_up) {
  enter(2);
  const auto third = it.add({});
  const auto removed = it.remove(third);
  BOOST_TEST(removed.found);
  BOOST_TEST(!removed.in_line.has_value());
  BOOST_TEST(it.empty());
  BOOST_TEST(it.is_needed(role::exclusive));
}

BOOST_AUTO_TEST_CASE(place_of_an_acquisition_counts_only_those_of_its_role) {
  enter(2);
  enter(1, reads);
  const auto removed = it.remove(3);
  BOOST_REQUIRE(removed.in_line.has_value());
  BOOST_TEST((removed.in_line->wants == role::shared));
  BOOST_TEST(removed.in_line->before == 0u);
}

BOOST_AUTO_TEST_CASE(unknown_demand_and_the_demand_of_a_try_have_no_acquisition_that_waits) {
  const auto tries = it.next_try();
  it.tries().add({.id = tries, .asked = {}});
  BOOST_TEST(!it.remove(tries).found);
  BOOST_TEST(!it.remove(7).found);
  BOOST_TEST(!it.find(tries, 0).has_value());
  BOOST_TEST(!it.find(7, 0).has_value());
}

BOOST_AUTO_TEST_CASE(position_counts_acquisitions_of_both_roles_without_an_entry) {
  it.add({});
  it.add({});
  const auto readers = it.add(reads);
  it.add(reads);
  const auto writer = it.add({});
  BOOST_TEST(waiting_before(readers, 1) == 3u);
  BOOST_TEST(waiting_before(writer) == 4u);
  it.add_entry(role::exclusive);
  BOOST_TEST(waiting_before(readers, 0) == 1u);
  BOOST_TEST(waiting_before(readers, 1) == 2u);
  BOOST_TEST(waiting_before(writer) == 3u);
  it.add_entry(role::shared);
  BOOST_TEST((it.find(readers, 0).value().in_line.value().wants == role::shared));
  BOOST_TEST(rank_of(readers, 0) == 0u);
  BOOST_TEST(waiting_before(readers, 1) == 1u);
  BOOST_TEST(waiting_before(writer) == 2u);
}

// Tries.

BOOST_AUTO_TEST_CASE(try_waits_for_no_entry) {
  const auto id = it.next_try();
  BOOST_TEST(it.tries().empty());
  it.tries().add({.id = id, .asked = {.permits = 2}});
  BOOST_TEST(!it.tries().empty());
  BOOST_TEST(!it.is_any_waiting());
  BOOST_TEST(!it.next().has_value());
  BOOST_TEST(!it.empty());
  BOOST_TEST(!it.is_idle());
  BOOST_REQUIRE(it.tries().fresh().size() == 1u);
  BOOST_TEST(it.tries().fresh()[0].id == id);
  BOOST_TEST(it.tries().fresh()[0].asked.permits == 2u);
}

BOOST_AUTO_TEST_CASE(try_is_taken_once) {
  const auto id = it.next_try();
  it.tries().add({.id = id, .asked = {.permits = 2}});
  BOOST_TEST(it.tries().take(id).value().permits == 2u);
  BOOST_TEST(!it.tries().take(id).has_value());
  BOOST_TEST(it.is_idle());
}

BOOST_AUTO_TEST_CASE(each_try_is_a_demand_of_its_own) {
  const auto first = it.next_try();
  const auto second = it.next_try();
  BOOST_TEST(second > first);
  BOOST_TEST(it.mark() == second);
}

BOOST_AUTO_TEST_CASE(tries_ask_again_after_a_lost_connection) {
  it.tries().add({.id = it.next_try(), .asked = {}});
  it.tries().probe(5);
  BOOST_TEST(it.tries().fresh().empty());
  it.tries().disconnected();
  BOOST_TEST(it.tries().fresh().size() == 1u);
  BOOST_TEST(probed(5) == 0u);
}

BOOST_AUTO_TEST_CASE(try_is_answered_by_a_list_that_began_after_it) {
  const auto first = it.next_try();
  it.tries().add({.id = first, .asked = {}});
  it.tries().probe(5);
  it.tries().add({.id = it.next_try(), .asked = {}});
  BOOST_TEST(probed(6) == 1u);
  it.tries().probe(7);
  BOOST_TEST(probed(4) == 0u);
  BOOST_REQUIRE(probed(6) == 1u);
  BOOST_TEST(it.tries().answered_by(6)[0].id == first);
  BOOST_TEST(probed(7) == 2u);
}

// Spare entries.

BOOST_AUTO_TEST_CASE(entry_handed_over_keeps_the_one_meant_for_the_next) {
  enter(2);
  take_with_entry();
  BOOST_TEST(it.is_next(role::exclusive));
  it.add_entry(role::exclusive);
  it.add_spare(role::exclusive);
  BOOST_TEST(take_with_entry().id == 2u);
  BOOST_TEST(it.entries(role::exclusive) == 1u);
  BOOST_TEST(it.is_needed(role::exclusive));
  it.set_spare(role::exclusive, 0);
  BOOST_TEST(!it.is_needed(role::exclusive));
}

BOOST_AUTO_TEST_CASE(spare_entry_is_for_the_next_acquisition_and_spare_no_more) {
  it.add_entry(role::exclusive);
  it.add_spare(role::exclusive);
  BOOST_TEST(it.is_needed(role::exclusive));
  const auto id = it.add({});
  BOOST_TEST(rank_of(id) == 0u);
  BOOST_TEST(it.is_needed(role::exclusive));
  it.remove(id);
  BOOST_TEST(!it.is_needed(role::exclusive));
}

BOOST_AUTO_TEST_CASE(acquisition_takes_one_of_several_spare_entries) {
  for (int i = 0; i < 3; ++i) {
    it.add_entry(role::exclusive);
    it.add_spare(role::exclusive);
  }
  const auto id = it.add({});
  BOOST_TEST(it.is_needed(role::exclusive));
  it.add_entry(role::exclusive);
  BOOST_TEST(!it.is_needed(role::exclusive));
  it.remove_entry(role::exclusive);
  it.remove(id);
  BOOST_TEST(!it.is_needed(role::exclusive));
}

BOOST_AUTO_TEST_CASE(spare_entry_that_is_lost_is_spare_no_more) {
  for (int i = 0; i < 2; ++i) {
    it.add_entry(role::exclusive);
    it.add_spare(role::exclusive);
  }
  it.remove_entry(role::exclusive);
  BOOST_TEST(it.is_needed(role::exclusive));
  it.add_entry(role::exclusive);
  BOOST_TEST(!it.is_needed(role::exclusive));
}

BOOST_AUTO_TEST_CASE(acquisition_of_another_role_leaves_the_spare_entries) {
  it.add_entry(role::shared);
  it.add_spare(role::shared);
  it.add({});
  BOOST_TEST(it.is_needed(role::shared));
}

BOOST_AUTO_TEST_CASE(all_entries_without_an_acquisition_become_spare) {
  enter(3);
  it.remove(2);
  it.remove(3);
  BOOST_TEST(!it.is_needed(role::exclusive));
  it.spare_unneeded(role::exclusive);
  BOOST_TEST(it.is_needed(role::exclusive));
  it.add_entry(role::exclusive);
  BOOST_TEST(!it.is_needed(role::exclusive));
  it.set_spare(role::exclusive, 3);
  BOOST_TEST(it.is_needed(role::exclusive));
}

// Nodes.

BOOST_AUTO_TEST_CASE(each_entry_needs_a_node_with_an_acquisition_or_without) {
  BOOST_TEST(it.nodes() == 0u);
  it.add({});
  BOOST_TEST(it.nodes() == 0u);
  it.add_entry(role::exclusive);
  BOOST_TEST(it.nodes() == 1u);
  it.add_entry(role::exclusive);
  it.add_entry(role::shared);
  BOOST_TEST(it.nodes() == 3u);
}

BOOST_AUTO_TEST_CASE(entry_needs_a_node_for_each_permit_of_its_acquisition) {
  it.add({.permits = 3});
  it.add({});
  it.add({.permits = 2});
  it.add({.permits = 2});
  BOOST_TEST(it.nodes() == 0u);
  for (const std::size_t nodes : {3u, 4u, 6u, 8u}) {
    it.add_entry(role::exclusive);
    BOOST_TEST(it.nodes() == nodes);
  }
  it.remove(1);
  BOOST_TEST(it.nodes() == 6u);
}

BOOST_AUTO_TEST_CASE(lost_entry_needs_the_nodes_of_the_last_in_line_no_more) {
  enter(1);
  enter(1, {.permits = 3});
  BOOST_TEST(it.nodes() == 4u);
  it.remove_entry(role::exclusive);
  BOOST_TEST(it.nodes() == 1u);
}

BOOST_AUTO_TEST_CASE(acquisition_that_has_brought_its_room_needs_its_nodes_without_an_entry) {
  const auto id = it.add({.permits = 2, .has_room = true});
  it.add({.permits = 2, .has_room = true});
  BOOST_TEST(it.nodes() == 4u);
  it.add_entry(role::exclusive);
  BOOST_TEST(it.nodes() == 4u);
  it.add_entry(role::exclusive);
  BOOST_TEST(it.nodes() == 4u);
  it.remove(id);
  BOOST_TEST(it.nodes() == 3u);
  it.remove(id);
  BOOST_TEST(it.nodes() == 2u);
}

BOOST_AUTO_TEST_CASE(acquisition_that_has_brought_its_room_is_counted_behind_others) {
  enter(1, {.permits = 2});
  it.add({.permits = 4});
  it.add({.wants = role::shared, .permits = 3, .has_room = true});
  it.add({.has_room = true});
  BOOST_TEST(it.nodes() == 6u);
}

BOOST_AUTO_TEST_CASE(try_that_has_brought_its_room_needs_its_nodes) {
  const auto first = it.next_try();
  it.tries().add({.id = first, .asked = {.permits = 2}});
  BOOST_TEST(it.nodes() == 0u);
  const auto second = it.next_try();
  it.tries().add({.id = second, .asked = {.permits = 3, .has_room = true}});
  BOOST_TEST(it.nodes() == 3u);
  it.tries().take(second);
  BOOST_TEST(it.nodes() == 0u);
}

// All acquisitions.

BOOST_AUTO_TEST_CASE(entry_is_not_for_the_next_where_that_wants_another_role) {
  BOOST_TEST(!it.is_next(role::exclusive));
  it.add(reads);
  BOOST_TEST(!it.is_next(role::exclusive));
  BOOST_TEST(it.is_next(role::shared));
  it.add_entry(role::shared);
  it.add({});
  BOOST_TEST(!it.is_next(role::exclusive));
  BOOST_TEST(it.is_next(role::shared));
  it.add_entry(role::exclusive);
  BOOST_TEST(!it.is_next(role::exclusive));
  BOOST_TEST(!it.is_next(role::shared));
}

BOOST_AUTO_TEST_CASE(role_is_wanted_by_acquisitions_and_tries) {
  BOOST_TEST(!it.is_any_wanting(role::exclusive));
  enter(1);
  BOOST_TEST(it.is_any_wanting(role::exclusive));
  BOOST_TEST(!it.is_any_wanting(role::shared));
  it.tries().add({.id = it.next_try(), .asked = reads});
  BOOST_TEST(it.is_any_wanting(role::shared));
  it.remove(1);
  BOOST_TEST(!it.is_any_wanting(role::exclusive));
}

BOOST_AUTO_TEST_CASE(all_that_do_not_hold_are_taken_with_their_entries_left) {
  enter(1);
  const auto second = it.add({});
  it.add({});
  const auto tries = it.next_try();
  it.tries().add({.id = tries, .asked = {}});
  BOOST_TEST(it.mark() == tries);
  const std::vector<demand_id> expected{1, second, second, tries};
  BOOST_TEST(it.take_until(tries) == expected, boost::test_tools::per_element());
  BOOST_TEST(it.is_idle());
  BOOST_TEST(!it.find(1, 0).has_value());
  BOOST_TEST(it.entries(role::exclusive) == 1u);
  BOOST_TEST(!it.is_needed(role::exclusive));
}

BOOST_AUTO_TEST_CASE(no_entry_is_spare_once_all_acquisitions_are_taken) {
  it.add_entry(role::exclusive);
  it.add_spare(role::exclusive);
  BOOST_TEST(it.take_until(0).empty());
  BOOST_TEST(!it.is_needed(role::exclusive));
}

BOOST_AUTO_TEST_CASE(those_that_began_later_are_not_taken) {
  enter(2);
  const auto third = it.add({});
  it.tries().add({.id = it.next_try(), .asked = {}});
  const std::vector<demand_id> expected{1};
  BOOST_TEST(it.take_until(1) == expected, boost::test_tools::per_element());
  BOOST_TEST(it.count_after(0) == 3u);
  BOOST_TEST(it.count_after(1) == 3u);
  BOOST_TEST(it.count_after(2) == 2u);
  BOOST_TEST(it.count_after(third) == 1u);
  BOOST_TEST(it.count_after(4) == 0u);
  BOOST_TEST(rank_of(2) == 0u);
  BOOST_TEST(rank_of(third) == 1u);
}

BOOST_AUTO_TEST_CASE(each_acquisition_of_a_demand_began_later_or_none_did) {
  const auto first = it.add({});
  it.add({});
  it.mark();
  const auto second = it.add(reads);
  it.add(reads);
  it.add(reads);
  BOOST_TEST(it.count_after(0) == 5u);
  BOOST_TEST(it.count_after(first) == 3u);
  BOOST_TEST(it.count_after(second) == 0u);
}

BOOST_AUTO_TEST_CASE(those_that_want_too_much_are_found) {
  enter(1, {.permits = 3});
  const auto second = it.add({.permits = 3});
  it.add({.permits = 3});
  const auto third = it.add({.permits = 2});
  const auto tries = it.next_try();
  it.tries().add({.id = tries, .asked = {.permits = 3}});
  const std::vector<demand_id> expected{1, second, second, tries};
  BOOST_TEST(it.above(2) == expected, boost::test_tools::per_element());
  BOOST_TEST(it.above(3).empty());
  BOOST_TEST(rank_of(1) == 0u);
  BOOST_TEST(waiting_before(third) == 2u);
  BOOST_TEST(ids_of(it.tries().fresh()) == std::vector{tries}, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace zklock::test

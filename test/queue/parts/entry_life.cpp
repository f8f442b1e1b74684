// Entries from the create on, with what becomes of acquisitions and of the budget.
#include "queue/entry_life.hpp"

#include "queue/action_name.hpp"

#include <boost/test/unit_test.hpp>

#include <string>
#include <vector>

namespace zklock::test {

using queue::action;
using queue::answer;
using queue::entry;
using queue::lock_mode;
using queue::reason;
using queue::role;
using queue::room_need;
using kind = queue::action::kind;
using state = queue::entry::state;

namespace {

struct life_of_entries {
  life_of_entries() : it(settings, budget, line, demands, permits, cache) {
    line.channel().connected({}, false);
    budget.take(200, room_need::first);
  }

  // Adds an acquisition that waits, with an entry whose create is in flight. Demands are numbered
  // as entries are, as long as each acquisition has an entry.
  entry& add(lock_mode asked = {}) {
    demands.add(asked);
    entry* const e = entries.add(context, demands.next().value());
    BOOST_REQUIRE(e);
    return *e;
  }

  entry& in_line(entry& e, queue::sequence number) {
    e.number = number;
    line.channel().create_answered(e.wants);
    it.arrive(context, e, state::queued);
    return e;
  }

  entry& add_in_line(queue::sequence number, lock_mode asked = {}) {
    return in_line(add(asked), number);
  }

  // An acquisition with its room gets an entry of its own.
  entry* add_brought(queue::demand brought) {
    demands.remove(brought.id);
    entry* const e = entries.add_own(context, brought, false);
    if (!e) demands.add_again(brought);
    return e;
  }

  entry& add_try_in_line(queue::sequence number, lock_mode asked = {}) {
    return in_line(*entries.add_own(context, {.id = demands.next_try(), .asked = asked}, true),
                   number);
  }

  // The permits that replace the entry exist.
  void replaced(entry& e) {
    e.replaced.answered(answer::ok, false);
    line.groups().erase(e);
  }

  // The place in line of an acquisition; -1 if it waits without an entry.
  int rank_of(queue::demand_id id) const {
    const auto found = demands.find(id, 0).value();
    return found.in_line ? static_cast<int>(found.in_line->before) : -1;
  }

  // The actions since the last call.
  std::string taken_actions() {
    std::string text;
    for (const auto& each : actions) {
      const auto of =
          each.what == kind::grant || each.what == kind::refuse ? each.demand : each.entry;
      text +=
          (text.empty() ? "" : ", ") + std::string(name_of(each.what)) + ' ' + std::to_string(of);
      if (each.what == kind::grant && each.entry != each.demand)
        text += " by " + std::to_string(each.entry);
    }
    actions.clear();
    return text;
  }

  std::vector<action> actions;
  queue::entry_id last_entry = 0;
  queue::event_context context{.proven = true, .last_entry = last_entry, .actions = actions};
  // Another lock has room for two nodes.
  queue::node_budget budget{500};
  queue::line line{queue::lock_policy::exclusive, 8};
  queue::demands demands;
  queue::permits permits{3};
  queue::lock_cache cache{false};
  const queue::settings settings{.entry_bytes = 100};
  queue::entry_life it;
  queue::own_entries& entries{it.entries()};
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(queue_entry_life, life_of_entries, *boost::unit_test::timeout(30))

BOOST_AUTO_TEST_CASE(entry_takes_room_until_nothing_is_left_of_it) {
  entry& e = add_in_line(5);
  BOOST_TEST(budget.left() == 200u);
  it.hold(context, e);
  it.release(context, e, true);
  entries.return_room();
  BOOST_TEST(budget.left() == 200u);
  it.forget(context, e);
  BOOST_TEST(taken_actions() == "grant 1, delete 1, forget 1");
  BOOST_TEST(budget.left() == 300u);
  BOOST_TEST(entries.all().empty());
}

BOOST_AUTO_TEST_CASE(without_room_there_is_no_entry) {
  budget.take(250, room_need::first);
  demands.add({});
  BOOST_TEST(entries.add(context, demands.next().value()) == nullptr);
  BOOST_TEST(entries.add_own(context, {.id = demands.next_try(), .asked = {}}, true) == nullptr);
  BOOST_TEST(entries.all().empty());
  BOOST_TEST(rank_of(1) == -1);
  BOOST_TEST(budget.left() == 50u);
}

BOOST_AUTO_TEST_CASE(entry_that_is_not_needed_is_deleted_once_its_number_is_known) {
  entry& e = add();
  BOOST_TEST(it.withdraw(context, 1));
  BOOST_TEST((e.is == state::abandoned));
  BOOST_TEST(taken_actions() == "");
  BOOST_TEST(entries.count_in_line() == 1u);
  BOOST_TEST(entries.is_any_leaving());
  e.number = 5;
  BOOST_TEST(!it.arrive(context, e, state::queued));
  BOOST_TEST(taken_actions() == "delete 1");
  BOOST_TEST(entries.count_in_line() == 0u);
  BOOST_TEST(entries.is_any_leaving());
}

BOOST_AUTO_TEST_CASE(entry_behind_the_last_number_is_refused) {
  entry& e = add();
  e.number = queue::last_number + 1;
  BOOST_TEST(!it.arrive(context, e, state::queued));
  BOOST_TEST(taken_actions() == "refuse 1, delete 1");
}

BOOST_AUTO_TEST_CASE(entry_that_is_refused_takes_the_newest_that_began_before_it) {
  entry& first = add_in_line(5);
  add_in_line(6);
  it.vacate(context, first, reason::failed);
  BOOST_TEST(taken_actions() == "refuse 1");
  BOOST_TEST(rank_of(2) == 0);
}

BOOST_AUTO_TEST_CASE(entry_of_a_former_directory_is_lost_to_one_with_its_number) {
  add_in_line(5);
  entry& second = add();
  second.number = 5;
  BOOST_TEST(it.arrive(context, second, state::queued));
  BOOST_TEST(entries.all().size() == 1u);
  BOOST_TEST(line.own().at(5) == &second);
  BOOST_TEST(rank_of(1) == 0);
  BOOST_TEST(rank_of(2) == -1);
}

BOOST_AUTO_TEST_CASE(entries_that_no_acquisition_needs_are_shed_from_the_end) {
  add_in_line(5);
  add_in_line(6);
  BOOST_TEST(!it.shed(context));
  demands.remove(1);
  BOOST_TEST(it.shed(context));
  BOOST_TEST(taken_actions() == "delete 2");
  BOOST_TEST(line.own().contains(5));
}

BOOST_AUTO_TEST_CASE(spare_entries_and_the_entry_of_a_try_are_not_shed) {
  add_in_line(5);
  add_in_line(6);
  add_try_in_line(7);
  demands.remove(1);
  demands.remove(2);
  demands.add_spare(role::exclusive);
  BOOST_TEST(it.shed(context));
  BOOST_TEST(taken_actions() == "delete 2");
  BOOST_TEST(line.own().contains(5));
  BOOST_TEST(line.own().contains(7));
}

BOOST_AUTO_TEST_CASE(lost_entry_ends_the_hold_or_requeues_the_newest) {
  entry& first = add_in_line(5);
  entry& second = add_in_line(6);
  it.hold(context, first);
  taken_actions();
  it.lose_node(context, first);
  BOOST_TEST(taken_actions() == "lose 1");
  it.lose_node(context, second);
  BOOST_TEST(taken_actions() == "");
  BOOST_TEST(demands.is_any_waiting());
  BOOST_TEST(budget.left() == 300u);
}

BOOST_AUTO_TEST_CASE(released_entry_is_handed_over_as_often_as_allowed) {
  const queue::settings once{.entry_bytes = 100, .local_handoffs = 1};
  queue::entry_life often(once, budget, line, demands, permits, cache);
  for (int i = 0; i < 3; ++i)
    demands.add({});
  entry& e = *often.entries().add(context, demands.next().value());
  e.number = 5;
  often.arrive(context, e, state::queued);
  often.hold(context, e);
  taken_actions();
  often.release(context, e, true);
  BOOST_TEST(taken_actions() == "forget 1");
  BOOST_TEST(e.turn == 1u);
  BOOST_TEST(e.is_unassigned());
  often.hold(context, e);
  taken_actions();
  often.release(context, e, true);
  BOOST_TEST(taken_actions() == "delete 1");
}

BOOST_AUTO_TEST_CASE(place_in_line_is_an_entry_that_is_for_no_certain_acquisition) {
  budget.put_back(200);
  it.hold(context, add_in_line(5));
  add_try_in_line(6);
  add_in_line(7);
  add();
  add({.wants = role::shared});
  BOOST_TEST(entries.at({.wants = role::exclusive, .before = 0}).id == 3u);
  BOOST_TEST(entries.at({.wants = role::exclusive, .before = 1}).id == 4u);
  BOOST_TEST(entries.at({.wants = role::shared, .before = 0}).id == 5u);
}

// Acquisitions that give up.

BOOST_AUTO_TEST_CASE(acquisition_that_gives_up_leaves_the_entries_of_later_ones) {
  add_in_line(5);
  add_in_line(6);
  BOOST_TEST(it.withdraw(context, 1));
  BOOST_TEST(taken_actions() == "delete 1");
  BOOST_TEST(rank_of(2) == 0);
  BOOST_TEST(entries.at({.wants = role::exclusive, .before = 0}).id == 2u);
}

BOOST_AUTO_TEST_CASE(acquisition_without_an_entry_gives_up_and_all_entries_stay) {
  add_in_line(5);
  demands.add({});
  BOOST_TEST(it.withdraw(context, 2));
  BOOST_TEST(taken_actions() == "");
  BOOST_TEST(entries.count_in_line() == 1u);
  BOOST_TEST(demands.empty());
}

BOOST_AUTO_TEST_CASE(demand_that_is_unknown_or_holds_is_not_withdrawn) {
  it.hold(context, add_in_line(5));
  taken_actions();
  BOOST_TEST(!it.withdraw(context, 1));
  BOOST_TEST(!it.withdraw(context, 9));
  BOOST_TEST(taken_actions() == "");
  BOOST_TEST((entries.find(1)->is == state::held));
}

BOOST_AUTO_TEST_CASE(try_without_an_entry_gives_up) {
  const auto id = demands.next_try();
  demands.tries().add({.id = id, .asked = {}});
  BOOST_TEST(it.withdraw(context, id));
  BOOST_TEST(demands.is_idle());
  BOOST_TEST(!it.withdraw(context, id));
  BOOST_TEST(taken_actions() == "");
}

BOOST_AUTO_TEST_CASE(try_with_an_entry_gives_up) {
  add_try_in_line(5);
  BOOST_TEST(it.withdraw(context, 1));
  BOOST_TEST(taken_actions() == "delete 1");
  BOOST_TEST(!entries.is_any_trying_in_line());
  BOOST_TEST(entries.count_in_line() == 0u);
  BOOST_TEST(demands.entries(role::exclusive) == 0u);
  BOOST_TEST(!it.withdraw(context, 1));
  it.forget(context, *entries.find(1));
  BOOST_TEST(budget.left() == 300u);
}

BOOST_AUTO_TEST_CASE(try_gives_up_while_its_entry_is_created) {
  entry& e = *entries.add_own(context, {.id = demands.next_try(), .asked = {}}, true);
  BOOST_TEST(it.withdraw(context, 1));
  BOOST_TEST((e.is == state::abandoned));
  BOOST_TEST(!entries.is_any_trying_in_line());
  BOOST_TEST(entries.count_in_line() == 1u);
  e.number = 5;
  BOOST_TEST(!it.arrive(context, e, state::queued));
  BOOST_TEST(taken_actions() == "delete 1");
}

BOOST_AUTO_TEST_CASE(acquisition_that_takes_permits_gives_up_and_waits_for_the_outcome) {
  entry& e = add_in_line(5, {.permits = 2});
  it.begin_permits(e);
  BOOST_TEST(it.withdraw(context, 1));
  BOOST_TEST((e.is == state::releasing));
  BOOST_TEST(taken_actions() == "");
  BOOST_TEST(!it.withdraw(context, 1));
  replaced(e);
  it.remove(context, e);
  BOOST_TEST(taken_actions() == "delete permits 1");
  BOOST_TEST(permits.fit(3));
  BOOST_TEST(budget.left() == 100u);
  it.forget(context, e);
  BOOST_TEST(taken_actions() == "");
  BOOST_TEST(budget.left() == 300u);
}

BOOST_AUTO_TEST_CASE(entry_of_an_acquisition_that_gave_up_is_deleted_where_no_permits_replace_it) {
  entry& e = add_in_line(5, {.permits = 2});
  it.begin_permits(e);
  it.withdraw(context, 1);
  it.back_in_line(context, e);
  BOOST_TEST(taken_actions() == "delete 1");
  BOOST_TEST(permits.fit(3));
  BOOST_TEST(demands.is_idle());
  entries.return_room();
  BOOST_TEST(budget.left() == 200u);
}

BOOST_AUTO_TEST_CASE(permits_are_given_back_where_the_acquisition_gives_up_before_the_grant) {
  entry& e = add_in_line(5, {.permits = 2});
  it.begin_permits(e);
  replaced(e);
  BOOST_TEST(it.withdraw(context, 1));
  BOOST_TEST(taken_actions() == "delete permits 1");
  BOOST_TEST(permits.fit(3));
}

// Of a demand the acquisition gives up that came last.
BOOST_AUTO_TEST_CASE(acquisition_in_line_gives_up_before_one_of_its_demand_that_takes_permits) {
  demands.add({});
  demands.add({});
  for (const queue::sequence number : {5, 6})
    in_line(*entries.add(context, demands.next().value()), number);
  it.begin_permits(*entries.find(1));
  BOOST_TEST(it.withdraw(context, 1));
  BOOST_TEST(taken_actions() == "delete 2");
  BOOST_TEST((entries.find(1)->is == state::granting));
  BOOST_TEST(it.withdraw(context, 1));
  BOOST_TEST((entries.find(1)->is == state::releasing));
}

BOOST_AUTO_TEST_CASE(last_of_a_demand_that_takes_permits_gives_up_first) {
  demands.add({});
  demands.add({});
  for (const queue::sequence number : {5, 6})
    it.begin_permits(in_line(*entries.add(context, demands.next().value()), number));
  BOOST_TEST(it.withdraw(context, 1));
  BOOST_TEST((entries.find(1)->is == state::granting));
  BOOST_TEST((entries.find(2)->is == state::releasing));
}

// Entries for certain acquisitions.

BOOST_AUTO_TEST_CASE(entry_of_a_try_is_in_line_for_the_try_alone) {
  entry& e = add_try_in_line(5, {.permits = 2});
  BOOST_TEST(e.is_try());
  BOOST_TEST(e.is_own());
  BOOST_TEST(!e.is_unassigned());
  BOOST_TEST(entries.is_any_trying_in_line());
  BOOST_TEST(!entries.is_any_own());
  BOOST_TEST(entries.count_in_line() == 1u);
  BOOST_TEST(demands.entries(role::exclusive) == 0u);
  BOOST_TEST(budget.left() == 100u);
  it.hold(context, e);
  BOOST_TEST(taken_actions() == "grant 1");
  BOOST_TEST(!entries.is_any_trying_in_line());
  BOOST_TEST(entries.count_in_line() == 0u);
  entries.return_room();
  BOOST_TEST(budget.left() == 200u);
}

BOOST_AUTO_TEST_CASE(entry_of_a_certain_acquisition_is_granted_to_that) {
  demands.add({});
  entries.bring_room(1);
  demands.add({.has_room = true});
  entry* const e = add_brought(demands.next_brought().value());
  BOOST_REQUIRE(e);
  BOOST_TEST(e->is_own());
  BOOST_TEST(!e->is_try());
  BOOST_TEST(entries.is_any_own());
  BOOST_TEST(!entries.is_any_trying_in_line());
  BOOST_TEST(entries.count_in_line() == 1u);
  it.hold(context, in_line(*e, 5));
  BOOST_TEST(taken_actions() == "grant 2 by 1");
  BOOST_TEST(!entries.is_any_own());
  BOOST_TEST(rank_of(1) == -1);
}

BOOST_AUTO_TEST_CASE(lost_entry_of_a_certain_acquisition_requeues_that) {
  add_in_line(5);
  entries.bring_room(1);
  demands.add({.has_room = true});
  entry& second = in_line(*add_brought(demands.next_brought().value()), 6);
  add_in_line(7);
  it.lose_node(context, second);
  BOOST_TEST(taken_actions() == "");
  BOOST_TEST(rank_of(1) == 0);
  BOOST_TEST(rank_of(2) == 1);
  BOOST_TEST(rank_of(3) == -1);
}

BOOST_AUTO_TEST_CASE(lost_entry_of_a_try_has_it_try_again) {
  entry& e = add_try_in_line(5, {.permits = 2});
  it.lose_node(context, e);
  BOOST_TEST(taken_actions() == "");
  BOOST_TEST(!entries.is_any_trying_in_line());
  BOOST_REQUIRE(demands.tries().fresh().size() == 1u);
  BOOST_TEST(demands.tries().fresh()[0].id == 1u);
  BOOST_TEST(demands.tries().fresh()[0].asked.permits == 2u);
  BOOST_TEST(budget.left() == 300u);
}

BOOST_AUTO_TEST_CASE(refused_entry_of_a_certain_acquisition_refuses_that) {
  add_in_line(5);
  entry& e = *entries.add_own(context, {.id = demands.next_try(), .asked = {}}, true);
  it.vacate(context, e, reason::failed);
  BOOST_TEST(taken_actions() == "refuse 2");
  BOOST_TEST(rank_of(1) == 0);
}

BOOST_AUTO_TEST_CASE(released_entry_is_not_handed_over_past_that_of_a_certain_acquisition) {
  const queue::settings often{.entry_bytes = 100, .local_handoffs = 9};
  queue::entry_life handing(often, budget, line, demands, permits, cache);
  demands.add({});
  entry& e = *handing.entries().add(context, demands.next().value());
  e.number = 5;
  handing.arrive(context, e, state::queued);
  handing.hold(context, e);
  demands.add({});
  handing.entries().bring_room(1);
  const auto brought = demands.add({.has_room = true});
  demands.remove(brought);
  handing.entries().add_own(context, {.id = brought, .asked = {.has_room = true}}, false);
  taken_actions();
  handing.release(context, e, true);
  BOOST_TEST(taken_actions() == "delete 1");
}

// Room.

BOOST_AUTO_TEST_CASE(entry_has_room_for_the_permits_that_are_to_replace_it) {
  entry& e = add_in_line(5, {.permits = 3});
  BOOST_TEST(budget.left() == 0u);
  it.begin_permits(e);
  BOOST_TEST((e.is == state::granting));
  BOOST_TEST(!permits.fit(1));
  it.back_in_line(context, e);
  entries.return_room();
  BOOST_TEST((e.is == state::queued));
  BOOST_TEST(budget.left() == 0u);
  BOOST_TEST(permits.fit(3));
  BOOST_TEST(rank_of(1) == 0);
}

// Acquisition 2 has taken the permits, and acquisition 1 waits again.
BOOST_AUTO_TEST_CASE(entry_that_is_back_in_line_is_for_the_oldest_that_waits) {
  entry& first = add_in_line(5);
  entry& second = add_in_line(6);
  it.begin_permits(first);
  it.begin_permits(second);
  it.lose_node(context, first);
  BOOST_TEST(rank_of(1) == -1);
  it.back_in_line(context, second);
  BOOST_TEST(second.is_unassigned());
  BOOST_TEST(rank_of(1) == 0);
  BOOST_TEST(rank_of(2) == -1);
}

BOOST_AUTO_TEST_CASE(entry_that_is_back_in_line_stays_with_the_room_that_was_brought_for_it) {
  entries.bring_room(2);
  demands.add({.permits = 2, .has_room = true});
  entry& e = add_in_line(5);
  BOOST_TEST(demands.first(role::exclusive).value().id == 1u);
  it.begin_permits(e);
  it.back_in_line(context, e);
  BOOST_TEST(e.is_own());
  BOOST_TEST(e.assigned == 1u);
  BOOST_TEST(entries.is_any_own());
  BOOST_TEST(rank_of(2) == -1);
}

BOOST_AUTO_TEST_CASE(entry_of_a_try_that_is_back_in_line_is_for_the_try) {
  entry& e = add_try_in_line(5, {.permits = 2});
  it.begin_permits(e);
  BOOST_TEST(!entries.is_any_trying_in_line());
  it.back_in_line(context, e);
  BOOST_TEST(e.is_try());
  BOOST_TEST(e.assigned == 1u);
  BOOST_TEST(entries.is_any_trying_in_line());
}

BOOST_AUTO_TEST_CASE(room_that_the_next_acquisition_does_not_need_is_returned) {
  add_in_line(5, {.permits = 3});
  demands.add({});
  demands.remove(1);
  BOOST_TEST(rank_of(2) == 0);
  entries.return_room();
  BOOST_TEST(budget.left() == 200u);
}

BOOST_AUTO_TEST_CASE(entry_of_an_acquisition_with_fewer_permits_takes_the_room_for_more) {
  entry& first = add_in_line(5, {.permits = 2});
  it.begin_permits(first);
  it.lose_node(context, first);
  BOOST_TEST(budget.left() == 300u);
  add_in_line(6);
  BOOST_TEST(rank_of(1) == 0);
  BOOST_TEST(budget.left() == 100u);
}

// The entry of acquisition 2 is for acquisition 1 now, whose permits are being deleted.
BOOST_AUTO_TEST_CASE(room_is_missing_while_permits_are_deleted_whose_acquisition_waits_again) {
  entry& first = add_in_line(5, {.permits = 2});
  add_in_line(6);
  BOOST_TEST(budget.left() == 0u);
  it.begin_permits(first);
  replaced(first);
  it.requeue(first);
  it.remove(context, first);
  BOOST_TEST(taken_actions() == "delete permits 1");
  BOOST_TEST(rank_of(1) == 0);
  BOOST_TEST(rank_of(2) == -1);
  BOOST_TEST(!entries.cover_room());
  entries.return_room();
  BOOST_TEST(budget.left() == 0u);
  it.forget(context, first);
  BOOST_TEST(entries.cover_room());
  BOOST_TEST(budget.left() == 100u);
}

BOOST_AUTO_TEST_CASE(missing_room_is_taken_from_the_budget_where_it_is_there) {
  budget.put_back(100);
  entry& first = add_in_line(5, {.permits = 2});
  add_in_line(6);
  it.begin_permits(first);
  replaced(first);
  it.requeue(first);
  it.remove(context, first);
  BOOST_TEST(entries.cover_room());
  BOOST_TEST(budget.left() == 0u);
  it.forget(context, first);
  BOOST_TEST(budget.left() == 200u);
}

// Acquisition 1 has no room.
BOOST_AUTO_TEST_CASE(room_that_was_brought_is_for_acquisitions_that_have_brought_it) {
  budget.take(300, room_need::first);
  demands.add({.permits = 2});
  entries.bring_room(2);
  demands.add({.permits = 2, .has_room = true});
  BOOST_TEST(entries.add(context, demands.next().value()) == nullptr);
  entry* const e = add_brought(demands.next_brought().value());
  BOOST_REQUIRE(e);
  in_line(*e, 5);
  entries.return_room();
  BOOST_TEST(budget.left() == 0u);
  // It waits without an entry.
  it.drop(context, *e);
  BOOST_TEST(taken_actions() == "delete 1");
  BOOST_TEST(demands.next_brought().value().id == 2u);
  BOOST_TEST(add_brought(demands.next_brought().value()) == nullptr);
  it.forget(context, *e);
  BOOST_TEST(budget.left() == 0u);
  BOOST_TEST(entries.add(context, demands.next().value()) == nullptr);
  BOOST_TEST(add_brought(demands.next_brought().value()) != nullptr);
}

BOOST_AUTO_TEST_CASE(room_that_was_brought_is_returned_with_the_last_that_needs_it) {
  budget.take(300, room_need::first);
  entries.bring_room(2);
  const auto waits = demands.add({.has_room = true});
  const auto tries = demands.next_try();
  demands.tries().add({.id = tries, .asked = {.has_room = true}});
  entries.return_room();
  BOOST_TEST(budget.left() == 0u);
  it.withdraw(context, waits);
  entries.return_room();
  BOOST_TEST(budget.left() == 100u);
  it.withdraw(context, tries);
  entries.return_room();
  BOOST_TEST(budget.left() == 200u);
}

// The entry of the first is gone: it is in line by the entry of the second.
BOOST_AUTO_TEST_CASE(acquisition_that_has_brought_its_room_holds_by_any_entry) {
  budget.take(100, room_need::first);
  entries.bring_room(1);
  entry& first = add_in_line(5, {.has_room = true});
  entry& second = add_in_line(6);
  BOOST_TEST(budget.left() == 100u);
  it.drop(context, first);
  it.forget(context, first);
  BOOST_TEST(rank_of(1) == 0);
  BOOST_TEST(!entries.frees_room(second));
  BOOST_TEST(budget.left() == 200u);
  it.drop(context, second);
  it.forget(context, second);
  BOOST_TEST(budget.left() == 200u);
  it.withdraw(context, 1);
  entries.return_room();
  BOOST_TEST(budget.left() == 300u);
}

BOOST_AUTO_TEST_CASE(entry_gives_the_room_to_the_budget_that_its_acquisition_has_not_brought) {
  entries.bring_room(1);
  add_in_line(5, {.has_room = true});
  entry& second = add_in_line(6);
  BOOST_TEST(entries.frees_room(second));
  BOOST_TEST(budget.left() == 200u);
  it.drop(context, second);
  it.forget(context, second);
  BOOST_TEST(budget.left() == 300u);
}

// The end, and the session.

BOOST_AUTO_TEST_CASE(deletion_that_is_refused_for_now_is_sent_again) {
  entry& e = add_in_line(5);
  it.hold(context, e);
  it.release(context, e, true);
  taken_actions();
  it.remove_refused(context);
  BOOST_TEST(taken_actions() == "");
  entries.set(e, state::refused);
  it.remove_refused(context);
  BOOST_TEST(taken_actions() == "delete 1");
  entries.set(e, state::refused);
  it.disconnected();
  it.remove_refused(context);
  BOOST_TEST(taken_actions() == "");
}

BOOST_AUTO_TEST_CASE(create_in_flight_is_unconfirmed_after_a_lost_connection) {
  entry& creating = add();
  entry& queued = add_in_line(5);
  it.disconnected();
  line.disconnected();
  BOOST_TEST((creating.is == state::unconfirmed));
  BOOST_TEST((queued.is == state::queued));
}

BOOST_AUTO_TEST_CASE(entry_found_in_a_list_is_in_line_once_it_is_inspected) {
  entry& e = add();
  it.disconnected();
  e.number = 5;
  it.arrive(context, e, state::inspecting);
  it.disconnected();
  BOOST_TEST((e.is == state::unconfirmed));
  BOOST_TEST(line.own().empty());
  it.arrive(context, e, state::inspecting);
  it.found(e, 77);
  BOOST_TEST((e.is == state::queued));
  BOOST_TEST(e.czxid == 77);
}

BOOST_AUTO_TEST_CASE(entry_that_may_not_be_inspected_is_deleted_and_refused) {
  entry& e = add();
  it.disconnected();
  e.number = 5;
  it.arrive(context, e, state::inspecting);
  it.reject(context, e, reason::no_permission);
  BOOST_TEST(taken_actions() == "refuse 1, delete 1");
}

BOOST_AUTO_TEST_CASE(end_of_the_session_ends_holds_and_requeues_all_that_wait) {
  entry& held = add_in_line(5);
  it.hold(context, held);
  entry& granting = add_in_line(6);
  it.begin_permits(granting);
  add();
  taken_actions();
  it.disconnected();
  line.disconnected();
  line.expired();
  it.expired(context, reason::session_expired);
  BOOST_TEST(taken_actions() == "lose 1");
  BOOST_TEST(entries.all().empty());
  BOOST_TEST(demands.find(2, 0).value().waiting == 0u);
  BOOST_TEST(demands.find(3, 0).value().waiting == 1u);
  BOOST_TEST(budget.left() == 300u);
  BOOST_TEST(permits.fit(3));
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace zklock::test

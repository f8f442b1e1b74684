// Entries from the create on, with their acquisitions and their share of the budget.
#include "queue/own_entries.hpp"

#include "queue/action_name.hpp"

#include <boost/test/unit_test.hpp>

#include <string>
#include <vector>

namespace zklock::test {

using queue::action;
using queue::answer;
using queue::entry;
using queue::role;
using kind = queue::action::kind;
using state = queue::entry::state;

namespace {

struct entries_of_ours {
  entries_of_ours()
      : it(settings, budget, line, waiters, permits, cache, std::pmr::get_default_resource()) {
    line.connected(false);
  }

  // Has an acquisition wait, with an entry whose create is in flight.
  entry& add(queue::acquisition_id id, queue::lock_mode asked = {}) {
    waiters.wait(id, asked);
    entry* const e = it.add(context, asked);
    waiters.enter_line(id);
    return *e;
  }

  entry& add_in_line(queue::acquisition_id id, queue::sequence number,
                     queue::lock_mode asked = {}) {
    entry& e = add(id, asked);
    e.number = number;
    line.create_answered(e.wants);
    it.arrive(context, e, state::queued);
    return e;
  }

  // The actions since the last call.
  std::string taken_actions() {
    std::string text;
    for (const auto& each : actions)
      text += (text.empty() ? "" : ", ") + std::string(name_of(each.what)) + ' ' +
              std::to_string(each.entry != 0 ? each.entry : each.acquisition);
    actions.clear();
    return text;
  }

  std::vector<action> actions;
  queue::entry_id last_entry = 0;
  queue::event_context context{.proven = true, .last_entry = last_entry, .actions = actions};
  queue::node_budget budget{300};
  queue::line line{queue::lock_policy::exclusive, 8, std::pmr::get_default_resource()};
  queue::waiters waiters{std::pmr::get_default_resource()};
  queue::permits permits{3};
  queue::lock_cache cache{false};
  const queue::settings settings{.entry_bytes = 100};
  queue::own_entries it;
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(queue_own_entries, entries_of_ours, *boost::unit_test::timeout(30))

BOOST_AUTO_TEST_CASE(entry_takes_room_until_nothing_is_left_of_it) {
  entry& e = add_in_line(1, 5);
  BOOST_TEST(budget.left() == 200u);
  it.hold(context, e);
  BOOST_TEST(it.release(context, e, true));
  BOOST_TEST(budget.left() == 200u);
  it.forget(context, e);
  BOOST_TEST(taken_actions() == "grant 1, delete 1, forget 1");
  BOOST_TEST(budget.left() == 300u);
  BOOST_TEST(it.all().empty());
}

BOOST_AUTO_TEST_CASE(without_room_there_is_no_entry) {
  budget.take(250, queue::room_need::first);
  BOOST_TEST(it.add(context, {}) == nullptr);
}

BOOST_AUTO_TEST_CASE(entry_that_is_not_needed_is_deleted_once_its_number_is_known) {
  entry& e = add(1);
  BOOST_TEST(it.leave_line(context, {.what = kind::forget, .acquisition = 1}));
  BOOST_TEST((e.is == state::abandoned));
  BOOST_TEST(taken_actions() == "forget 1");
  BOOST_TEST(waiters.entries_in_line() == 1u);
  e.number = 5;
  BOOST_TEST(!it.arrive(context, e, state::queued));
  BOOST_TEST(taken_actions() == "delete 1");
  BOOST_TEST(waiters.entries_in_line() == 0u);
}

BOOST_AUTO_TEST_CASE(entry_behind_the_last_number_is_refused) {
  entry& e = add(1);
  e.number = queue::last_number + 1;
  BOOST_TEST(!it.arrive(context, e, state::queued));
  BOOST_TEST(taken_actions() == "refuse 1, delete 1");
}

BOOST_AUTO_TEST_CASE(entry_of_a_former_directory_is_lost_to_one_with_its_number) {
  add_in_line(1, 5);
  entry& second = add(2);
  second.number = 5;
  BOOST_TEST(it.arrive(context, second, state::queued));
  BOOST_TEST(it.all().size() == 1u);
  BOOST_TEST(line.own().at(5) == &second);
  BOOST_TEST(waiters.waiting_before(2).value() == 0u);
}

BOOST_AUTO_TEST_CASE(entries_that_no_acquisition_needs_are_shed_from_the_end) {
  add_in_line(1, 5);
  add_in_line(2, 6);
  BOOST_TEST(!it.shed(context));
  waiters.leave_line(1);
  BOOST_TEST(it.shed(context));
  BOOST_TEST(taken_actions() == "delete 2");
  BOOST_TEST(line.own().contains(5));
}

BOOST_AUTO_TEST_CASE(lost_entry_ends_the_hold_or_requeues_the_newest) {
  entry& first = add_in_line(1, 5);
  entry& second = add_in_line(2, 6);
  it.hold(context, first);
  taken_actions();
  it.lose_node(context, first);
  BOOST_TEST(taken_actions() == "lose 1");
  it.lose_node(context, second);
  BOOST_TEST(taken_actions() == "");
  BOOST_TEST(waiters.is_any_waiting());
  BOOST_TEST(budget.left() == 300u);
}

BOOST_FIXTURE_TEST_CASE(released_entry_is_handed_over_as_often_as_allowed, entries_of_ours) {
  const queue::settings once{.entry_bytes = 100, .local_handoffs = 1};
  queue::own_entries often(once, budget, line, waiters, permits, cache,
                           std::pmr::get_default_resource());
  for (const queue::acquisition_id id : {1u, 2u, 3u})
    waiters.wait(id, {});
  entry& e = *often.add(context, {});
  waiters.enter_line(1);
  e.number = 5;
  often.arrive(context, e, state::queued);
  often.hold(context, e);
  taken_actions();
  BOOST_TEST(often.release(context, e, true));
  BOOST_TEST(taken_actions() == "forget 1");
  BOOST_TEST(e.turn == 1u);
  BOOST_TEST(e.is_unassigned());
  waiters.match();
  often.hold(context, e);
  taken_actions();
  BOOST_TEST(often.release(context, e, true));
  BOOST_TEST(taken_actions() == "delete 1");
}

BOOST_AUTO_TEST_CASE(entry_has_room_for_the_permits_that_are_to_replace_it) {
  entry& e = add_in_line(1, 5, {.permits = 3});
  BOOST_TEST(budget.left() == 0u);
  BOOST_TEST(it.begin_permits(e, 3));
  BOOST_TEST((e.is == state::granting));
  BOOST_TEST(!permits.fit(1));
  it.back_in_line(context, e);
  BOOST_TEST((e.is == state::queued));
  BOOST_TEST(budget.left() == 0u);
  BOOST_TEST(permits.fit(3));
  BOOST_TEST(waiters.find_in_line(1).has_value());
}

BOOST_AUTO_TEST_CASE(permits_take_the_room_that_the_entry_does_not_have) {
  entry& e = add_in_line(1, 5);
  BOOST_TEST(it.begin_permits(e, 3));
  BOOST_TEST(budget.left() == 0u);
}

BOOST_AUTO_TEST_CASE(permits_give_back_the_room_that_the_entry_has_for_more) {
  entry& e = add_in_line(1, 5, {.permits = 3});
  BOOST_TEST(it.begin_permits(e, 1));
  BOOST_TEST(budget.left() == 200u);
  it.back_in_line(context, e);
  it.drop(context, e);
  it.forget(context, e);
  BOOST_TEST(budget.left() == 300u);
}

BOOST_AUTO_TEST_CASE(first_in_line_waits_again_where_no_entry_has_room_for_its_permits) {
  for (const std::uint32_t room : {1u, 2u}) {
    entries_of_ours now;
    entry& e = now.add_in_line(1, 5, {.permits = 2});
    e.room = 1;
    now.add_in_line(2, 6);
    now.it.find(2)->room = room;
    now.it.pass_up(now.context, e);
    BOOST_TEST(now.taken_actions() == "delete 1");
    BOOST_TEST(now.waiters.is_any_waiting());
    BOOST_TEST(now.waiters.find_in_line(1).has_value() == (room == 2));
    BOOST_TEST(now.waiters.find_in_line(2).has_value() == (room == 1));
  }
}

BOOST_AUTO_TEST_CASE(room_that_was_brought_is_for_acquisitions_that_have_brought_it) {
  budget.take(300, queue::room_need::first);
  it.bring_room(2);
  BOOST_TEST(it.add(context, {.permits = 2}) == nullptr);
  entry& e = add_in_line(1, 5, {.permits = 2, .has_room = true});
  it.return_room();
  BOOST_TEST(budget.left() == 0u);
  // It waits without an entry.
  it.drop(context, e);
  it.forget(context, e);
  BOOST_TEST(budget.left() == 0u);
  BOOST_TEST(it.add(context, {.permits = 2, .has_room = true}) != nullptr);
  waiters.enter_line(1);
}

BOOST_AUTO_TEST_CASE(room_that_was_brought_is_returned_with_the_last_that_needs_it) {
  budget.take(300, queue::room_need::first);
  it.bring_room(2);
  waiters.wait(1, {.has_room = true});
  waiters.add_attempt(2, {.has_room = true});
  it.return_room();
  BOOST_TEST(budget.left() == 0u);
  waiters.withdraw(1);
  it.return_room();
  BOOST_TEST(budget.left() == 100u);
  waiters.withdraw(2);
  it.return_room();
  BOOST_TEST(budget.left() == 200u);
}

// The entry of the first is gone: it is in line by the entry of the second.
BOOST_AUTO_TEST_CASE(acquisition_that_has_brought_its_room_holds_by_any_entry) {
  budget.take(100, queue::room_need::first);
  it.bring_room(1);
  entry& first = add_in_line(1, 5, {.has_room = true});
  entry& second = add_in_line(2, 6);
  it.drop(context, first);
  it.forget(context, first);
  BOOST_TEST(waiters.find_in_line(1).has_value());
  BOOST_TEST(budget.left() == 200u);
  it.drop(context, second);
  it.forget(context, second);
  BOOST_TEST(budget.left() == 200u);
  waiters.withdraw(1);
  it.return_room();
  BOOST_TEST(budget.left() == 300u);
}

BOOST_AUTO_TEST_CASE(permits_without_room_leave_the_entry_as_it_is) {
  entry& e = add_in_line(1, 5);
  BOOST_TEST(!it.begin_permits(e, 4));
  BOOST_TEST(e.is_unassigned());
  BOOST_TEST(waiters.find_in_line(1).has_value());
}

BOOST_AUTO_TEST_CASE(entry_released_while_permits_replace_it_waits_for_the_outcome) {
  entry& e = add_in_line(1, 5);
  it.begin_permits(e, 2);
  BOOST_TEST(!it.release(context, e, true));
  BOOST_TEST((e.is == state::releasing));
  BOOST_TEST(taken_actions() == "");
  e.replaced.answered(answer::ok, false);
  it.remove(context, e);
  BOOST_TEST(taken_actions() == "give back 1");
  BOOST_TEST(permits.fit(3));
  it.forget(context, e);
  BOOST_TEST(taken_actions() == "forget 1");
  BOOST_TEST(budget.left() == 300u);
}

BOOST_AUTO_TEST_CASE(deletion_that_is_refused_for_now_is_sent_again) {
  entry& e = add_in_line(1, 5);
  it.hold(context, e);
  it.release(context, e, true);
  taken_actions();
  it.remove_refused(context);
  BOOST_TEST(taken_actions() == "");
  it.removal_refused(e);
  it.remove_refused(context);
  BOOST_TEST(taken_actions() == "delete 1");
  it.removal_refused(e);
  it.disconnected();
  it.remove_refused(context);
  BOOST_TEST(taken_actions() == "");
}

BOOST_AUTO_TEST_CASE(create_in_flight_is_unconfirmed_after_a_lost_connection) {
  entry& creating = add(1);
  entry& queued = add_in_line(2, 5);
  it.disconnected();
  line.disconnected();
  BOOST_TEST((creating.is == state::unconfirmed));
  BOOST_TEST((queued.is == state::queued));
}

BOOST_AUTO_TEST_CASE(entry_found_in_a_list_is_in_line_once_it_is_inspected) {
  entry& e = add(1);
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
  entry& e = add(1);
  it.disconnected();
  e.number = 5;
  it.arrive(context, e, state::inspecting);
  it.reject(context, e, queue::reason::no_permission);
  BOOST_TEST(taken_actions() == "refuse 1, delete 1");
}

BOOST_AUTO_TEST_CASE(end_of_the_session_ends_holds_and_requeues_all_that_wait) {
  entry& held = add_in_line(1, 5);
  it.hold(context, held);
  entry& granting = add_in_line(2, 6);
  it.begin_permits(granting, 1);
  add(3);
  taken_actions();
  it.disconnected();
  line.disconnected();
  line.expired();
  it.expired(context, queue::reason::session_expired);
  BOOST_TEST(taken_actions() == "lose 1");
  BOOST_TEST(it.all().empty());
  BOOST_TEST(waiters.waiting_before(2).value() == 0u);
  BOOST_TEST(waiters.waiting_before(3).value() == 1u);
  BOOST_TEST(budget.left() == 300u);
  BOOST_TEST(permits.fit(3));
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace zklock::test

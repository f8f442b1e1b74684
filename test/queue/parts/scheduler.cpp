// The requests and grants after an event.
#include "queue/scheduler.hpp"

#include "queue/action_name.hpp"

#include <boost/test/unit_test.hpp>

#include <string>
#include <vector>

namespace zklock::test {

using queue::action;
using queue::entry;
using queue::lock_policy;
using queue::reason;
using queue::room_need;
using kind = queue::action::kind;
using state = queue::entry::state;

namespace {

struct scheduled {
  explicit scheduled(const queue::settings& with = {.max_entries = 2, .entry_bytes = 100})
      : settings(with) {
    line.channel().connected({}, false);
  }

  // The actions after an event.
  template <class Event>
  std::string after(Event event) {
    actions.clear();
    event();
    std::string text;
    for (const auto& each : actions) {
      text += (text.empty() ? "" : ", ") + std::string(name_of(each.what));
      const auto of =
          each.what == kind::grant || each.what == kind::refuse ? each.demand : each.entry;
      if (of != 0) text += ' ' + std::to_string(of);
      for (const auto& checked : each.checks)
        text += " (" + std::to_string(checked.entry) + ')';
    }
    return text;
  }

  std::string advance() {
    return after([&] { it.advance(context); });
  }

  // Demands are numbered as they come: 1, 2, and so on.
  std::string wait(queue::lock_mode asked = {}) {
    demands.add(asked);
    // Acquisitions with equal modes would be one demand.
    demands.mark();
    return after([&] { it.fill(context); });
  }

  std::string attempt(queue::lock_mode asked = {}) {
    demands.tries().add({.id = demands.next_try(), .asked = asked});
    return after([&] { it.tries().start(context); });
  }

  // The create of an entry is answered.
  std::string created(queue::entry_id id, queue::sequence number) {
    entry& e = *entries.find(id);
    line.channel().create_answered(e.wants);
    e.number = number;
    line.number_given(number);
    life.arrive(context, e, state::queued);
    return advance();
  }

  std::vector<action> actions;
  queue::entry_id last_entry = 0;
  queue::event_context context{.proven = true, .last_entry = last_entry, .actions = actions};
  const queue::settings settings;
  queue::node_budget budget{300};
  queue::line line{settings.policy, settings.look_ahead};
  queue::demands demands;
  queue::permits permits{settings.limit};
  queue::lock_cache cache{settings.cache};
  queue::entry_life life{settings, budget, line, demands, permits, cache};
  queue::own_entries& entries{life.entries()};
  queue::scheduler it{settings, line, demands, permits, life, cache};
};

struct scheduled_permits : scheduled {
  scheduled_permits()
      : scheduled({.entry_bytes = 100, .policy = lock_policy::counted, .limit = 3}) {}

  // The first entry in line is known, and so are the permits of other clients.
  void count(std::size_t others) {
    permits.begin_list(line.channel().next_order());
    permits.list_answered(true);
    permits.count_others(others);
    permits.set_count_known(true);
  }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(queue_scheduler, scheduled, *boost::unit_test::timeout(30))

BOOST_AUTO_TEST_CASE(nothing_is_asked_for_without_a_connection) {
  line.disconnected();
  BOOST_TEST(wait() == "");
  BOOST_TEST(attempt() == "");
  BOOST_TEST(advance() == "");
}

BOOST_AUTO_TEST_CASE(entries_are_created_up_to_the_window) {
  BOOST_TEST(wait() == "make directory, create 1, list");
  BOOST_TEST(wait() == "create 2, watch directory");
  BOOST_TEST(wait() == "");
  BOOST_TEST(created(1, 0) == "grant 1, create 3");
}

BOOST_AUTO_TEST_CASE(first_entry_is_granted_and_the_next_waits_for_it) {
  wait();
  wait();
  BOOST_TEST(created(1, 0) == "grant 1");
  BOOST_TEST(created(2, 1) == "");
  entry& first = *entries.find(1);
  life.release(context, first, true);
  BOOST_TEST(advance() == "grant 2");
}

BOOST_AUTO_TEST_CASE(entry_behind_a_gap_is_not_granted) {
  wait();
  line.number_given(0);
  line.channel().list_answered();
  BOOST_TEST(created(1, 2) == "list");
}

BOOST_AUTO_TEST_CASE(nothing_is_granted_before_the_session_is_proven) {
  context.proven = false;
  wait();
  BOOST_TEST(created(1, 0) == "confirm 1");
  BOOST_TEST(advance() == "");
  BOOST_TEST(it.requests().end_confirm() == 1u);
  context.proven = true;
  BOOST_TEST(advance() == "grant 1");
}

BOOST_AUTO_TEST_CASE(missing_parents_are_made_once_and_before_all_else) {
  const auto make = [&] { it.requests().make_parents(context); };
  BOOST_TEST(after(make) == "make parents");
  BOOST_TEST(after(make) == "");
  BOOST_TEST(wait() == "");
  BOOST_TEST(attempt() == "");
  it.requests().parents_made(true);
  BOOST_TEST(advance() == "refuse 2, create 1, list");
}

BOOST_AUTO_TEST_CASE(try_gets_an_entry_once_a_list_shows_that_the_lock_is_free) {
  BOOST_TEST(attempt() == "list");
  line.channel().list_answered();
  auto shown = line.read({}, 0);
  line.adopt(shown);
  line.complete(shown);
  BOOST_TEST(after([&] { it.tries().answer_by_line(context); }) ==
             "make directory, create 1, list");
  BOOST_TEST(created(1, 0) == "grant 1");
  BOOST_TEST(attempt() == "refuse 2");
}

BOOST_AUTO_TEST_CASE(try_is_refused_behind_one_that_waits) {
  wait();
  BOOST_TEST(attempt() == "refuse 2");
}

BOOST_AUTO_TEST_CASE(all_that_do_not_hold_are_refused_and_their_entries_deleted) {
  wait();
  wait();
  wait();
  created(1, 0);
  created(2, 1);
  BOOST_TEST(after([&] { it.refuse_until(context, 3, reason::failed); }) ==
             "refuse 2, refuse 3, delete 2");
  BOOST_TEST((entries.find(1)->is == state::held));
  BOOST_TEST((entries.find(3)->is == state::abandoned));
}

// Entry 1 was asked for before acquisition 2 came.
BOOST_AUTO_TEST_CASE(acquisition_that_is_not_refused_overtakes_by_no_earlier_entry) {
  wait();
  wait();
  BOOST_TEST(after([&] { it.refuse_until(context, 1, reason::failed); }) == "refuse 1");
  BOOST_TEST((entries.find(1)->is == state::abandoned));
  BOOST_TEST(entries.find(2)->is_unassigned());
  BOOST_TEST(demands.first(queue::role::exclusive).value().id == 2u);
}

BOOST_AUTO_TEST_CASE(request_is_sent_for_the_acquisitions_that_began_before) {
  wait();
  BOOST_TEST(it.requests().newest_at(queue::lock_requests::request::list) == 1u);
  wait();
  BOOST_TEST(it.requests().newest_at(queue::lock_requests::request::list) == 1u);
  after([&] { it.requests().make_parents(context); });
  BOOST_TEST(it.requests().newest_at(queue::lock_requests::request::parents) == 2u);
}

BOOST_AUTO_TEST_CASE(lock_without_an_entry_claims_its_room) {
  budget.take(300, room_need::first);
  BOOST_TEST(wait() == "");
  BOOST_TEST((it.needs_room() == room_need::first));
  budget.put_back(300);
  BOOST_TEST(advance() == "make directory, create 1, list");
  BOOST_TEST((it.needs_room() == room_need::none));
}

BOOST_AUTO_TEST_CASE(last_entry_in_line_is_surplus_and_the_first_stays) {
  wait();
  wait();
  line.channel().list_answered();
  created(1, 0);
  created(2, 1);
  BOOST_TEST(it.has_surplus());
  const auto drop = [&] { BOOST_TEST(it.drop_surplus(context)); };
  BOOST_TEST(after(drop) == "delete 2");
  BOOST_TEST(after(drop) == "");
  life.forget(context, *entries.find(2));
  BOOST_TEST(!it.drop_surplus(context));
}

BOOST_FIXTURE_TEST_CASE(permits_replace_the_first_where_enough_are_free, scheduled_permits) {
  BOOST_TEST(wait({.permits = 2}) == "make directory, create 1, list, list permits");
  permits.list_answered(true);
  BOOST_TEST(created(1, 0) == "list permits");
  count(2);
  BOOST_TEST(advance() == "");
  count(1);
  BOOST_TEST(advance() == "take 1");
  entries.find(1)->replaced.answered(queue::answer::ok, false);
  line.groups().erase(*entries.find(1));
  permits.note_replaced(1);
  BOOST_TEST(advance() == "grant 1");
}

BOOST_FIXTURE_TEST_CASE(entry_is_created_with_room_for_all_permits, scheduled_permits) {
  budget.take(100, room_need::first);
  BOOST_TEST(wait({.permits = 3}).find("create 1") == std::string::npos);
  BOOST_TEST((it.needs_room() == room_need::first));
  budget.put_back(100);
  BOOST_TEST(advance() == "make directory, create 1, list, list permits");
  BOOST_TEST((it.needs_room() == room_need::none));
  BOOST_TEST(budget.left() == 0u);
}

BOOST_FIXTURE_TEST_CASE(acquisition_that_brings_its_room_does_not_wait_behind_others,
                        scheduled_permits) {
  budget.take(200, room_need::first);
  wait({.permits = 2});
  entries.bring_room(1);
  BOOST_TEST(wait({.has_room = true}).find("create 1") != std::string::npos);
  BOOST_TEST((it.needs_room() == room_need::more));
  BOOST_TEST(entries.find(1)->assigned == 2u);
  BOOST_TEST(demands.next().value().id == 1u);
  BOOST_TEST(budget.left() == 100u);
}

// The acquisition would wait with its room, without the entry.
BOOST_AUTO_TEST_CASE(entry_whose_room_stays_with_the_lock_is_no_surplus) {
  wait();
  line.channel().list_answered();
  created(1, 0);
  entries.bring_room(1);
  wait({.has_room = true});
  created(2, 1);
  BOOST_TEST(!it.drop_surplus(context));
  wait();
  created(3, 2);
  const auto drop = [&] { BOOST_TEST(it.drop_surplus(context)); };
  BOOST_TEST(after(drop) == "delete 3");
}

// Acquisition 1 deletes its permits, and the entry of acquisition 2 is for it.
BOOST_FIXTURE_TEST_CASE(nothing_is_taken_while_room_is_missing, scheduled_permits) {
  wait({.permits = 2});
  wait();
  line.channel().list_answered();
  permits.list_answered(true);
  created(1, 0);
  created(2, 1);
  count(1);
  BOOST_TEST(advance() == "take 1");
  entry& first = *entries.find(1);
  first.replaced.answered(queue::answer::ok, false);
  line.groups().erase(first);
  life.requeue(first);
  BOOST_TEST(after([&] { life.remove(context, first); }) == "delete permits 1");
  BOOST_TEST(advance() == "");
  BOOST_TEST((it.needs_room() == room_need::more));
  life.forget(context, first);
  BOOST_TEST(advance() == "take 2, create 3");
}

BOOST_FIXTURE_TEST_CASE(tries_are_answered_by_the_list_of_permits, scheduled_permits) {
  demands.tries().add({.id = demands.next_try(), .asked = {.permits = 2}});
  BOOST_TEST(attempt({.permits = 2}) == "list permits");
  permits.list_answered(true);
  permits.count_others(0);
  BOOST_TEST(after([&] { it.tries().answer_by_permits(context); }) ==
             "make directory, create 1, list, list permits, refuse 2");
}

BOOST_FIXTURE_TEST_CASE(those_that_want_more_than_the_limit_are_refused, scheduled_permits) {
  demands.add({.permits = 3});
  demands.add({});
  it.fill(context);
  BOOST_TEST(after([&] { it.refuse_above(context, 2); }) == "refuse 1");
  BOOST_TEST((entries.find(1)->is == state::abandoned));
  BOOST_TEST(demands.find(2, 0).value().waiting == 0u);
}

BOOST_AUTO_TEST_CASE(entries_that_were_granted_unseen_are_checked_with_the_delete) {
  actions.push_back({.what = kind::grant, .entry = 1, .demand = 1});
  actions.push_back({.what = kind::remove, .entry = 9});
  actions.push_back({.what = kind::grant, .entry = 2, .demand = 2});
  actions.push_back({.what = kind::grant, .entry = 3, .demand = 3, .turn = 1});
  actions.push_back({.what = kind::grant, .entry = 4, .demand = 4, .permits = 1});
  actions.push_back({.what = kind::grant, .entry = 5, .demand = 5});
  queue::check_granted(context, 1, 5);
  BOOST_REQUIRE(actions.size() == 6u);
  BOOST_REQUIRE(actions[1].checks.size() == 1u);
  BOOST_TEST(actions[1].checks[0].entry == 2u);
}

BOOST_AUTO_TEST_CASE(entries_that_were_granted_without_a_delete_are_checked_by_themselves) {
  for (queue::entry_id id = 1; id <= 17; ++id)
    actions.push_back({.what = kind::grant, .entry = id, .demand = id});
  queue::check_granted(context, 0);
  BOOST_REQUIRE(actions.size() == 19u);
  BOOST_TEST(actions[17].checks.size() == 16u);
  BOOST_TEST(actions[18].checks.size() == 1u);
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace zklock::test

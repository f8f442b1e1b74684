// The state of a line, as far as a client knows it.
#include "queue/line_scan.hpp"

#include <boost/test/unit_test.hpp>

#include <list>
#include <string>
#include <string_view>
#include <vector>

namespace zklock::test {

using queue::action;
using queue::entry;
using queue::line;
using queue::lock_policy;
using queue::role;
using queue::sequence;

namespace {

constexpr queue::session_token token{0x1234567890ab0cde};

std::string entry_name_of(queue::session_token of, queue::entry_id id, sequence number, role wants,
                          lock_policy policy) {
  std::string name;
  queue::append_prefix(name, of, id, policy.label(wants));
  queue::append_number(name, number);
  return name;
}

struct known_line {
  explicit known_line(lock_policy with = lock_policy::exclusive, std::size_t look_ahead = 8)
      : policy(with), it(with, look_ahead) {}

  std::string other(sequence number, role wants = role::exclusive) const {
    return entry_name_of({0x42}, 1, number, wants, policy);
  }

  // An entry of ours is in line.
  entry& add(sequence number, role wants = role::exclusive) {
    const auto id = static_cast<queue::entry_id>(entries.size() + 1);
    entry& e = entries.emplace_back(
        entry{.id = id, .wants = wants, .is = entry::state::queued, .number = number});
    it.groups().insert(e);
    return e;
  }

  void list(const std::vector<std::string>& names, std::int64_t children_ever) {
    const std::vector<std::string_view> views(names.begin(), names.end());
    it.channel().begin_list();
    it.channel().list_answered();
    it.channel().connected(token, false);
    auto shown = it.read(views, children_ever);
    own_shown = shown.own.size();
    it.adopt(shown);
    it.complete(shown);
  }

  // The entries that are watched, or "list" where a list is needed.
  std::string look_ahead(entry& e) {
    queue::entry_id last_entry = 0;
    std::vector<action> actions;
    queue::event_context context{.last_entry = last_entry, .actions = actions};
    if (it.look_ahead(context, e)) return "list";
    std::string watched;
    for (const auto& each : actions)
      watched += (watched.empty() ? "" : " ") + std::to_string(each.number);
    return watched;
  }

  const lock_policy policy;
  line it;
  std::list<entry> entries;
  std::size_t own_shown = 0;
};

struct shared_line : known_line {
  shared_line() : known_line(lock_policy::shared) {}
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(queue_line_part, known_line, *boost::unit_test::timeout(30))

BOOST_AUTO_TEST_CASE(nothing_is_known_before_a_list) {
  entry& e = add(5);
  BOOST_TEST(!it.covers(e));
  BOOST_TEST(!it.is_first_ours());
  BOOST_TEST(!it.count_known().has_value());
  BOOST_TEST(it.needs_list());
}

BOOST_AUTO_TEST_CASE(number_zero_shows_that_no_child_was_before) {
  it.number_given(0);
  BOOST_TEST(it.covers(add(0)));
  BOOST_TEST(it.is_first_ours());
}

BOOST_AUTO_TEST_CASE(number_that_follows_what_is_known_is_known) {
  list({}, 5);
  it.number_given(5);
  BOOST_TEST(it.covers(add(5)));
  BOOST_TEST(!it.needs_list());
}

BOOST_AUTO_TEST_CASE(gap_leaves_what_is_behind_it_unknown) {
  list({}, 5);
  it.number_given(7);
  BOOST_TEST(!it.covers(add(7)));
  BOOST_TEST(it.needs_list());
  list({other(6)}, 8);
  BOOST_TEST(it.covers(entries.back()));
  BOOST_TEST(it.count_before(entries.back()).value() == 1u);
  BOOST_TEST(!it.is_first_ours());
}

BOOST_AUTO_TEST_CASE(list_tells_ours_from_those_of_others) {
  list({entry_name_of(token, 9, 3, role::exclusive, policy), other(2), "no entry"}, 4);
  BOOST_TEST(own_shown == 1u);
  BOOST_TEST(it.count_known().value() == 1u);
}

BOOST_AUTO_TEST_CASE(child_with_a_made_up_number_is_behind_all_that_is_known) {
  list({other(100)}, 3);
  it.number_given(3);
  BOOST_TEST(it.covers(add(3)));
  BOOST_TEST(it.is_first_ours());
  BOOST_TEST(it.all().entries == 1u);
}

BOOST_AUTO_TEST_CASE(list_in_flight_is_enough) {
  it.channel().begin_list();
  BOOST_TEST(it.channel().is_listing());
  BOOST_TEST(!it.needs_list());
  BOOST_TEST(it.channel().list_order() == it.channel().order());
  it.channel().list_answered();
  BOOST_TEST(it.needs_list());
}

BOOST_AUTO_TEST_CASE(lost_connection_voids_what_is_known_but_not_ours) {
  it.channel().connected({}, false);
  BOOST_TEST(it.channel().can_send());
  list({other(1)}, 3);
  it.channel().create_sent(role::exclusive);
  entry& e = add(2);
  it.disconnected();
  BOOST_TEST(!it.channel().can_send());
  BOOST_TEST(!it.covers(e));
  BOOST_TEST(it.ours().entries == 1u);
  it.channel().connected({}, true);
  BOOST_TEST(it.channel().is_recovering());
  BOOST_TEST(!it.channel().can_send());
  it.channel().end_recovery();
  BOOST_TEST(it.channel().can_send());
}

BOOST_AUTO_TEST_CASE(without_an_entry_or_a_watch_the_directory_may_be_another_one) {
  list({}, 3);
  it.forget_unless_pinned();
  BOOST_TEST(!it.count_known().has_value());
}

BOOST_AUTO_TEST_CASE(entry_pins_the_directory_unless_permits_replace_it) {
  list({}, 3);
  entry& e = add(2);
  it.forget_unless_pinned();
  BOOST_TEST(it.covers(e));
  e.replaced.begin_permits(1);
  it.forget_unless_pinned();
  BOOST_TEST(!it.covers(e));
}

BOOST_AUTO_TEST_CASE(watch_pins_the_directory_until_it_fires) {
  BOOST_TEST(it.arm_directory_watch());
  BOOST_TEST(!it.arm_directory_watch());
  BOOST_TEST(it.directory_watch_answered(true));
  BOOST_TEST(!it.directory_watch_answered(true));
  list({}, 3);
  it.forget_unless_pinned();
  BOOST_TEST(it.count_known().has_value());
  it.directory_watch_fired();
  it.forget_unless_pinned();
  BOOST_TEST(!it.count_known().has_value());
}

BOOST_AUTO_TEST_CASE(entry_that_leaves_is_followed_by_what_was_asked_for_before) {
  list({}, 3);
  it.channel().create_sent(role::exclusive);
  it.leave();
  BOOST_TEST(it.count_known().has_value());
  it.channel().create_answered(role::exclusive);
  it.leave();
  BOOST_TEST(!it.count_known().has_value());
}

BOOST_AUTO_TEST_CASE(number_that_does_not_rise_shows_another_directory) {
  list({}, 5);
  BOOST_TEST(it.is_renumbered(4));
  BOOST_TEST(!it.is_renumbered(5));
  BOOST_TEST(!it.is_renumbered(-7));
  add(9);
  BOOST_TEST(it.is_renumbered(9));
}

BOOST_AUTO_TEST_CASE(entry_that_has_its_number_no_more_is_not_erased_for_it) {
  entry& e = add(5);
  entry other{.id = 9, .wants = role::exclusive, .number = 5};
  it.groups().erase(other);
  BOOST_TEST(it.own().contains(5));
  it.groups().erase(e);
  BOOST_TEST(it.own().empty());
}

BOOST_AUTO_TEST_CASE(deleted_predecessor_is_gone_for_good) {
  list({other(1)}, 3);
  BOOST_TEST((it.entry_gone(other(7)) == line::change::none));
  BOOST_TEST((it.entry_gone(other(1)) == line::change::gone));
  BOOST_TEST((it.entry_gone(other(1)) == line::change::none));
  BOOST_TEST(it.all().entries == 0u);
}

BOOST_FIXTURE_TEST_CASE(deleted_writer_may_be_a_reader_until_a_list_tells, shared_line) {
  list({other(1)}, 3);
  entry& e = add(2, role::shared);
  BOOST_TEST((it.entry_gone(other(1)) == line::change::replaced));
  BOOST_TEST(it.all().exclusive == 0u);
  BOOST_TEST(look_ahead(e) == "");
  entry& writer = add(3);
  BOOST_TEST(look_ahead(writer) == "");
  it.groups().erase(e);
  BOOST_TEST(look_ahead(writer) == "list");
}

BOOST_AUTO_TEST_CASE(scan_counts_what_is_before_a_number_until_all_is_blocked) {
  list({other(1), other(2), other(6)}, 8);
  queue::line_scan before(it);
  BOOST_TEST(before.may_hold(role::exclusive));
  before.reach(1);
  BOOST_TEST(!before.blocks_all());
  before.reach(5);
  BOOST_TEST(before.blocks_all());
  BOOST_TEST(!before.may_hold(role::exclusive));
}

BOOST_FIXTURE_TEST_CASE(scan_passes_readers, shared_line) {
  list({other(1, role::shared), other(6)}, 8);
  queue::line_scan before(it);
  before.reach(5);
  before.add(role::shared);
  BOOST_TEST(before.may_hold(role::shared));
  BOOST_TEST(!before.may_hold(role::exclusive));
  before.reach(7);
  BOOST_TEST(!before.may_hold(role::shared));
}

BOOST_AUTO_TEST_CASE(predecessors_are_watched_up_to_the_next_of_ours) {
  list({other(1), other(3), other(4)}, 9);
  add(2);
  BOOST_TEST(look_ahead(add(5)) == "4 3");
}

BOOST_AUTO_TEST_CASE(last_watch_that_is_left_calls_for_a_list) {
  known_line of_two(lock_policy::exclusive, 2);
  of_two.list({other(1), other(2), other(3), other(4)}, 9);
  entry& e = of_two.add(5);
  BOOST_TEST(of_two.look_ahead(e) == "4 3");
  BOOST_TEST(of_two.look_ahead(e) == "");
  of_two.it.entry_gone(other(4));
  BOOST_TEST(of_two.look_ahead(e) == "list");
  of_two.list({other(1), other(2), other(3)}, 9);
  BOOST_TEST(of_two.look_ahead(e) == "2");
}

BOOST_AUTO_TEST_CASE(watch_that_fired_is_set_again_once_plans_are_made_anew) {
  list({other(1)}, 3);
  entry& e = add(2);
  BOOST_TEST(look_ahead(e) == "1");
  BOOST_TEST(!it.entry_unwatched(other(7)));
  BOOST_TEST(it.entry_unwatched(other(1)));
  BOOST_TEST(look_ahead(e) == "list");
  it.plan_again();
  BOOST_TEST(look_ahead(e) == "1");
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace zklock::test

// The acquisitions of a lock in their order, without servers.

#include "client/lock_line.hpp"

#include "client/lock_counters.hpp"
#include "member.hpp"

#include <boost/test/unit_test.hpp>

#include <chrono>
#include <memory>
#include <vector>

namespace zklock::test {

BOOST_AUTO_TEST_SUITE(lock_line, *boost::unit_test::timeout(30))

namespace {

using queue::demand_id;
using queue::role;
using tickets = std::vector<demand_id>;
using std::chrono::seconds;
constexpr auto elements = boost::test_tools::per_element();

// A line of which the strand knows.
struct known_line {
  known_line() { line.count_in(&counters); }

  // The line owns the acquisitions that wait.
  ~known_line() {
    for (const auto& each : made_)
      line.take_out(*each);
  }

  known_line(const known_line&) = delete;
  known_line& operator=(const known_line&) = delete;

  std::shared_ptr<member> make(wish asked = {}) {
    return made_.emplace_back(std::make_shared<member>(asked));
  }

  // An acquisition that waits. The strand looks at it.
  std::shared_ptr<member> wait(wish asked = {}) {
    auto made = make(asked);
    if (line.wait(made)) line.look();
    return made;
  }

  // The acquisitions that wait get tickets, from this one on.
  tickets give_tickets(demand_id first = 1, std::size_t most = 100) {
    tickets given;
    line.give_tickets([&](detail::line_member&) {
      if (given.size() == most) return demand_id{0};
      given.push_back(first + given.size());
      return given.back();
    });
    return given;
  }

  bool release(member& c) {
    const auto ended = line.release_fast(c);
    if (ended.next) ended.next->complete_fast();
    return ended.is_done;
  }

  detail::lock_counters counters;
  detail::lock_line line;

 private:
  std::vector<std::shared_ptr<member>> made_;
};

} // namespace

BOOST_FIXTURE_TEST_CASE(open_line_grants_each_turn_once, known_line) {
  line.open(offer_of(7), nullptr);
  const auto first = make();
  const auto second = make();
  BOOST_TEST(line.grant_fast(*first));
  BOOST_TEST(!line.grant_fast(*second));
  BOOST_TEST(release(*first));
  BOOST_TEST(line.grant_fast(*second));
  BOOST_TEST(first->turn == 7U);
  BOOST_TEST(second->turn == 8U);
  BOOST_TEST(line.close().next_turn == 9U);
}

BOOST_FIXTURE_TEST_CASE(closed_line_grants_nothing, known_line) {
  BOOST_TEST(!line.grant_fast(*make()));
  line.open(offer_of(), nullptr);
  line.close();
  BOOST_TEST(!line.grant_fast(*make()));
}

BOOST_FIXTURE_TEST_CASE(release_grants_to_the_acquisition_that_has_waited_longest, known_line) {
  line.open(offer_of(), nullptr);
  const auto first = make();
  line.grant_fast(*first);
  const auto second = wait();
  const auto third = wait();
  BOOST_TEST(release(*first));
  BOOST_TEST((second->now() == member::state::held));
  BOOST_TEST((third->now() == member::state::waiting));
  BOOST_TEST(release(*second));
  BOOST_TEST((third->now() == member::state::held));
}

BOOST_FIXTURE_TEST_CASE(acquisition_does_not_overtake_another_one_that_waits, known_line) {
  line.open(offer_of(), nullptr);
  const auto first = make();
  line.grant_fast(*first);
  // The strand has to grant to this one.
  const auto second = wait({.is_plain = false});
  BOOST_TEST(!release(*first));
  BOOST_TEST(!line.grant_fast(*make()));
}

BOOST_FIXTURE_TEST_CASE(nothing_is_granted_without_a_proof_of_the_session, known_line) {
  line.open(offer_of(), nullptr);
  BOOST_TEST(!line.grant_fast(*make({.is_proven = false})));
  const auto first = make();
  line.grant_fast(*first);
  wait({.is_proven = false});
  BOOST_TEST(!release(*first));
}

BOOST_FIXTURE_TEST_CASE(last_turn_is_followed_by_none, known_line) {
  line.open(offer_of(3, 4), nullptr);
  const auto first = make();
  BOOST_TEST(line.grant_fast(*first));
  BOOST_TEST(release(*first));
  BOOST_TEST(!line.grant_fast(*make()));
}

BOOST_FIXTURE_TEST_CASE(acquisition_with_another_role_needs_the_queue, known_line) {
  line.open(offer_of(), nullptr);
  BOOST_TEST(!line.grant_fast(*make({.wants = role::shared})));
  BOOST_TEST(!line.needs_queue());
  wait({.wants = role::shared});
  BOOST_TEST(line.needs_queue());
  line.close();
  BOOST_TEST(!line.needs_queue());
}

BOOST_FIXTURE_TEST_CASE(strand_looks_once_for_all_acquisitions_that_come_before, known_line) {
  BOOST_TEST(line.wait(make()));
  BOOST_TEST(!line.wait(make()));
  line.look();
  BOOST_TEST(line.wait(make()));
}

BOOST_FIXTURE_TEST_CASE(strand_need_not_look_where_the_open_entry_serves_the_acquisition,
                        known_line) {
  line.open(offer_of(), nullptr);
  const auto first = make();
  line.grant_fast(*first);
  BOOST_TEST(!line.wait(make()));
}

BOOST_FIXTURE_TEST_CASE(strand_looks_where_a_deadline_is_the_earliest, known_line) {
  const auto holder = make();
  line.open(offer_of(), nullptr);
  line.grant_fast(*holder);
  const auto now = member::time_point::clock::now();
  const auto later = make();
  later->deadline = now + seconds(2);
  BOOST_TEST(line.wait(later));
  line.look();
  const auto latest = now + seconds(9);
  BOOST_TEST((line.next_look(latest) == later->deadline));
  const auto sooner = make();
  sooner->deadline = now + seconds(1);
  BOOST_TEST(line.wait(sooner));
  line.look();
  line.next_look(later->deadline);
  const auto last = make();
  last->deadline = now + seconds(3);
  BOOST_TEST(!line.wait(last));
  BOOST_TEST(line.take_due(now).of == nullptr);
  BOOST_TEST(line.take_due(now + seconds(2)).of == sooner);
  BOOST_TEST(line.take_due(now + seconds(2)).of == later);
  BOOST_TEST(line.take_due(now + seconds(2)).of == nullptr);
}

// Another thread may release the holder at any time.
BOOST_FIXTURE_TEST_CASE(acquisition_whose_timeout_has_passed_is_granted_no_more, known_line) {
  const auto holder = make();
  line.open(offer_of(), nullptr);
  line.grant_fast(*holder);
  const auto now = member::time_point::clock::now();
  const auto late = make();
  late->deadline = now + seconds(1);
  line.wait(late);
  line.look();
  const auto due = line.take_due(now + seconds(2));
  BOOST_TEST(due.of == late);
  BOOST_TEST(!due.holds);
  release(*holder);
  BOOST_TEST((late->now() == member::state::waiting));
  BOOST_TEST(!line.is_any_waiting());
}

BOOST_FIXTURE_TEST_CASE(holder_whose_limit_has_passed_holds, known_line) {
  const auto holder = make();
  line.open(offer_of(), nullptr);
  line.grant_fast(*holder);
  const auto now = member::time_point::clock::now();
  line.set_hold_limit(*holder, now + seconds(1));
  const auto due = line.take_due(now + seconds(2));
  BOOST_TEST(due.of == holder);
  BOOST_TEST(due.holds);
  BOOST_TEST(line.is_holder(*holder));
}

BOOST_FIXTURE_TEST_CASE(tickets_are_given_in_the_order_of_the_acquisitions, known_line) {
  wait();
  wait();
  BOOST_TEST(give_tickets(5, 1) == (tickets{5}), elements);
  wait();
  BOOST_TEST(give_tickets(6) == (tickets{6, 7}), elements);
  BOOST_TEST(give_tickets(8).empty());
}

BOOST_FIXTURE_TEST_CASE(tickets_of_acquisitions_that_the_line_grants_are_loose, known_line) {
  const auto holder = make();
  const auto first = wait();
  const auto second = wait();
  give_tickets();
  line.open(offer_of(), holder.get());
  BOOST_TEST(release(*holder));
  const auto closed = line.close();
  BOOST_TEST(closed.loose_tickets == (tickets{1}), elements);
  BOOST_TEST(closed.holder == first.get());
  BOOST_TEST((second->now() == member::state::waiting));
}

BOOST_FIXTURE_TEST_CASE(line_with_loose_tickets_is_left_to_the_strand_where_nothing_waits,
                        known_line) {
  const auto holder = make();
  const auto next = wait();
  give_tickets();
  line.open(offer_of(), holder.get());
  BOOST_TEST(release(*holder));
  BOOST_TEST(!release(*next));
  BOOST_TEST(line.is_holder(*next));
}

BOOST_FIXTURE_TEST_CASE(hold_whose_end_concerns_the_strand_ends_there, known_line) {
  line.open(offer_of(), nullptr);
  const auto first = make();
  line.grant_fast(*first);
  line.end_on_strand(*first);
  BOOST_TEST(!release(*first));
  BOOST_TEST(line.close().holder == first.get());
}

BOOST_FIXTURE_TEST_CASE(entry_that_does_not_stay_is_left_to_the_strand, known_line) {
  auto by = offer_of();
  by.stays = false;
  line.open(by, nullptr);
  const auto first = make();
  line.grant_fast(*first);
  const auto second = wait();
  BOOST_TEST(release(*first));
  BOOST_TEST(!release(*second));
}

BOOST_FIXTURE_TEST_CASE(acquisition_that_gave_up_is_not_granted, known_line) {
  line.open(offer_of(), nullptr);
  const auto first = make();
  line.grant_fast(*first);
  const auto second = wait();
  const auto third = wait();
  BOOST_TEST(line.take_out(*second, true) == second);
  BOOST_TEST(line.take_out(*second, true) == nullptr);
  BOOST_TEST(release(*first));
  BOOST_TEST((third->now() == member::state::held));
}

BOOST_FIXTURE_TEST_CASE(acquisition_that_holds_does_not_give_up, known_line) {
  line.open(offer_of(), nullptr);
  const auto first = make();
  line.grant_fast(*first);
  BOOST_TEST(line.take_out(*first, true) == nullptr);
  BOOST_TEST(line.is_held_fast());
}

BOOST_FIXTURE_TEST_CASE(strand_sees_tries_and_acquisitions_with_options, known_line) {
  const auto plain = make();
  const auto other = make({.is_plain = false});
  const auto tries = make();
  tries->trying = true;
  for (const auto& each : {plain, other, tries})
    line.wait(each);
  const auto seen = line.look();
  BOOST_REQUIRE(seen.size() == 2U);
  BOOST_TEST(seen[0] == other);
  BOOST_TEST(seen[1] == tries);
  BOOST_TEST(line.look().empty());
  // A try is not before the acquisitions that wait.
  BOOST_TEST(give_tickets().size() == 2U);
}

BOOST_AUTO_TEST_CASE(acquisitions_that_came_before_the_strand_knew_the_lock_are_seen) {
  detail::lock_line line;
  detail::lock_counters counters;
  const auto first = std::make_shared<member>();
  BOOST_TEST(line.wait(first));
  BOOST_TEST(first->counted == 0);
  line.count_in(&counters);
  BOOST_TEST(line.look().size() == 1U);
  BOOST_TEST(first->counted == 1);
  line.take_out(*first);
}

BOOST_FIXTURE_TEST_CASE(acquisitions_behind_one_that_the_strand_has_not_seen_get_no_ticket,
                        known_line) {
  const auto first = make({.is_plain = false});
  line.wait(first);
  line.wait(make());
  BOOST_TEST(give_tickets().empty());
  line.look();
  BOOST_TEST(give_tickets() == (tickets{1, 2}), elements);
}

BOOST_FIXTURE_TEST_CASE(acquisition_in_doubt_waits_again_behind_the_others, known_line) {
  const auto first = wait();
  const auto second = wait();
  line.set_in_doubt(*first);
  BOOST_TEST(give_tickets() == (tickets{1}), elements);
  BOOST_TEST(line.first_with(1) == second.get());
  line.wait_again(*first);
  const auto seen = line.look();
  BOOST_TEST_REQUIRE(seen.size() == 1U);
  BOOST_TEST(seen.front().get() == first.get());
  BOOST_TEST(give_tickets(1) == (tickets{1}), elements);
  BOOST_TEST(line.count_equal_before(*first) == 1U);
  line.take_out(*second);
  BOOST_TEST(line.first_with(1) == first.get());
}

BOOST_FIXTURE_TEST_CASE(try_in_doubt_that_waits_again_is_returned_by_the_next_look, known_line) {
  const auto doubted = make();
  doubted->trying = true;
  line.wait(doubted);
  BOOST_TEST(line.look().size() == 1U);
  line.set_in_doubt(*doubted);
  BOOST_TEST(line.look().empty());
  line.wait_again(*doubted);
  const auto seen = line.look();
  BOOST_TEST_REQUIRE(seen.size() == 1U);
  BOOST_TEST(seen.front().get() == doubted.get());
}

BOOST_FIXTURE_TEST_CASE(holder_whose_release_cannot_reach_the_strand_lives_until_the_line_closes,
                        known_line) {
  line.open(offer_of(), nullptr);
  auto holder = std::make_shared<member>();
  line.grant_fast(*holder);
  const std::weak_ptr<member> watched = holder;
  line.keep_alive(std::move(holder));
  BOOST_TEST(!watched.expired());
  auto* const last = line.close().holder;
  BOOST_REQUIRE(last);
  BOOST_TEST(line.take_out(*last) == watched.lock());
  BOOST_TEST(watched.expired());
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace zklock::test

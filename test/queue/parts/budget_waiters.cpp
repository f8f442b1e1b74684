// The locks that wait for a session's budget.
#include "queue/budget_waiters.hpp"

#include <boost/test/unit_test.hpp>

#include <deque>
#include <initializer_list>
#include <string>

namespace zklock::test {

using queue::budget_waiters;
using queue::node_budget;

namespace {

struct member final : queue::room_waiter {
  member(node_budget& of, budget_waiters& with) : budget(of), line(with) {}

  bool starved() const noexcept override { return wants != 0; }
  bool needs_room() const noexcept override { return starved() && has == 0; }
  bool may_borrow() const noexcept override {
    return (needs_room() && is_small) || (starved() && budget.has(wants, reserved));
  }

  bool is_reserving() const noexcept override { return reserved != 0; }
  bool can_make_room() const noexcept override { return can_give != 0; }

  void refill() override {
    ++refills;
    if (budget.take(wants) || budget.take(wants, reserved) ||
        (is_small && needs_room() && budget.borrow(wants))) {
      has += wants;
      wants = 0;
    }
    line.settle(*this);
  }

  bool make_room() override {
    ++rooms_made;
    if (can_give == 0) return false;
    budget.give_back(can_give);
    has -= can_give;
    can_give = 0;
    line.settle(*this);
    return true;
  }

  node_budget& budget;
  budget_waiters& line;
  std::size_t wants = 0;
  std::size_t has = 0;
  std::size_t can_give = 0;
  bool is_small = false;
  queue::reservation_id reserved = 0;
  int refills = 0;
  int rooms_made = 0;
};

struct waiting {
  node_budget budget{300, 100};
  budget_waiters it{budget};
  member first{budget, it};
  member second{budget, it};

  void serve() { it.serve(); }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(queue_budget_waiters, waiting, *boost::unit_test::timeout(30))

BOOST_AUTO_TEST_CASE(budget_is_open_while_no_lock_waits) {
  BOOST_TEST(!it.settle(first));
  BOOST_TEST(budget.take(100));
}

BOOST_AUTO_TEST_CASE(lock_that_waits_is_not_overtaken) {
  budget.take(200);
  first.wants = 200;
  it.settle(first);
  BOOST_TEST(!budget.take(100));
  budget.give_back(100);
  BOOST_TEST(it.settle(first));
  serve();
  BOOST_TEST(first.has == 200u);
  BOOST_TEST(budget.take(0));
}

BOOST_AUTO_TEST_CASE(lock_that_has_nothing_goes_before_one_that_has) {
  budget.take(300);
  first.has = 100;
  first.wants = 100;
  it.settle(first);
  second.wants = 100;
  it.settle(second);
  budget.give_back(100);
  serve();
  BOOST_TEST(second.has == 100u);
  BOOST_TEST(first.starved());
}

BOOST_AUTO_TEST_CASE(lock_that_waits_behind_its_own_entries_makes_room) {
  budget.take(300);
  first.has = 300;
  first.can_give = 100;
  it.settle(first);
  second.wants = 100;
  BOOST_TEST(it.settle(second));
  serve();
  BOOST_TEST(first.has == 200u);
  serve();
  BOOST_TEST(second.has == 100u);
}

BOOST_AUTO_TEST_CASE(lock_that_wants_little_borrows_behind_one_that_wants_much) {
  budget.take(100);
  first.wants = 300;
  it.settle(first);
  second.wants = 100;
  second.is_small = true;
  it.settle(second);
  serve();
  BOOST_TEST(second.has == 100u);
  BOOST_TEST(first.starved());
}

// All that may be lent is lent, so that the first gets nothing.
BOOST_AUTO_TEST_CASE(reserved_room_is_taken_behind_one_that_cannot_borrow) {
  second.reserved = budget.reserve(100);
  budget.take(100);
  budget.lend(true);
  budget.borrow(100);
  first.wants = 100;
  first.is_small = true;
  it.settle(first);
  second.wants = 100;
  it.settle(second);
  serve();
  BOOST_TEST(first.has == 0u);
  BOOST_TEST(second.has == 100u);
}

// 1,000 members wait for room, and 1,000 can make some.
BOOST_AUTO_TEST_CASE(event_of_one_member_asks_few_others) {
  std::deque<member> starved;
  std::deque<member> roomy;
  node_budget full{100'000, 0};
  budget_waiters line(full);
  full.take(100'000);
  for (int i = 0; i < 1'000; ++i) {
    auto& waits = starved.emplace_back(full, line);
    waits.wants = 100;
    waits.is_small = true;
    line.settle(waits);
    auto& holds = roomy.emplace_back(full, line);
    holds.has = holds.can_give = 100;
    line.settle(holds);
  }
  const auto count = [&] {
    int calls = 0;
    for (const auto& each : starved)
      calls += each.refills;
    for (const auto& each : roomy)
      calls += each.rooms_made;
    return calls;
  };
  const auto before = count();
  for (int i = 0; i < 500; ++i)
    if (line.settle(starved.back())) line.serve();
  BOOST_TEST(count() - before < 5'000);
  // In their order.
  for (std::size_t i = 0; i < 200; ++i)
    BOOST_TEST(!starved[i].starved());
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace zklock::test

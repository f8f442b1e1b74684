// The bytes of node paths that a session may own, and the users that wait for them.
#include "queue/node_budget.hpp"

#include <boost/test/unit_test.hpp>

#include <deque>

namespace zklock::test {

using queue::node_budget;
using queue::room_need;

namespace {

struct user final : queue::room_user {
  explicit user(node_budget& of) : budget(of) {}

  room_need needs_room() const noexcept override {
    if (wants == 0) return room_need::none;
    return has == 0 ? room_need::first : room_need::more;
  }
  bool has_surplus() const noexcept override { return surplus != 0; }

  // Takes 100 bytes at a time once it has some.
  void refill() override {
    ++calls;
    const auto next = has == 0 ? wants : std::size_t{100};
    if (can_take && wants != 0 && budget.take(next, needs_room())) {
      has += next;
      wants -= next;
    }
    budget.update(*this);
  }

  bool drop_surplus() override {
    ++calls;
    if (surplus == 0) return false;
    leaving += surplus;
    surplus = 0;
    budget.update(*this);
    return true;
  }

  // The entries that it has dropped are gone.
  bool leave() {
    has -= leaving;
    budget.put_back(leaving);
    leaving = 0;
    return budget.update(*this);
  }

  bool wait(std::size_t bytes) {
    wants = bytes;
    return budget.update(*this);
  }

  node_budget& budget;
  std::size_t wants = 0;
  std::size_t has = 0;
  std::size_t surplus = 0;
  std::size_t leaving = 0;
  bool can_take = true;
  int calls = 0;
};

struct users {
  node_budget it{300};
  user first{it};
  user second{it};
  user third{it};
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(queue_node_budget, users, *boost::unit_test::timeout(30))

BOOST_AUTO_TEST_CASE(no_more_is_taken_than_there_is) {
  BOOST_TEST(it.take(200, room_need::first));
  BOOST_TEST(!it.take(101, room_need::first));
  BOOST_TEST(it.take(100, room_need::more));
  it.put_back(100);
  BOOST_TEST(it.left() == 100u);
  BOOST_TEST(it.total() == 300u);
}

BOOST_AUTO_TEST_CASE(claim_that_waits_is_not_overtaken) {
  it.take(200, room_need::first);
  BOOST_TEST(first.wait(200));
  BOOST_TEST(it.is_any_waiting());
  BOOST_TEST(!it.take(100, room_need::first));
  BOOST_TEST(!it.take(100, room_need::more));
  BOOST_TEST(it.take(0, room_need::first));
  it.put_back(100);
  it.serve();
  BOOST_TEST(first.has == 200u);
  BOOST_TEST(!it.is_any_waiting());
  it.put_back(100);
  BOOST_TEST(it.take(100, room_need::more));
}

BOOST_AUTO_TEST_CASE(claims_are_served_in_their_order) {
  it.take(300, room_need::first);
  first.wait(200);
  second.wait(100);
  it.put_back(100);
  it.serve();
  BOOST_TEST(second.has == 0u);
  it.put_back(200);
  it.serve();
  BOOST_TEST(first.has == 200u);
  BOOST_TEST(second.has == 100u);
}

BOOST_AUTO_TEST_CASE(next_claim_is_served_where_the_first_gives_up) {
  it.take(200, room_need::first);
  first.wait(200);
  second.wait(100);
  it.serve();
  BOOST_TEST(second.has == 0u);
  BOOST_TEST(first.wait(0));
  it.serve();
  BOOST_TEST(second.has == 100u);
}

// The queue of the lock waits for a reply.
BOOST_AUTO_TEST_CASE(first_claim_is_served_once_it_can_take) {
  first.can_take = false;
  BOOST_TEST(first.wait(100));
  it.serve();
  BOOST_TEST(first.has == 0u);
  first.can_take = true;
  BOOST_TEST(it.update(first));
  it.serve();
  BOOST_TEST(first.has == 100u);
}

BOOST_AUTO_TEST_CASE(further_entries_are_made_of_what_no_claim_waits_for) {
  it.take(200, room_need::first);
  first.has = 100;
  first.wait(100);
  second.wait(200);
  it.put_back(100);
  it.serve();
  BOOST_TEST(first.has == 100u);
  BOOST_TEST(second.has == 200u);
  it.put_back(100);
  it.serve();
  BOOST_TEST(first.has == 200u);
}

BOOST_AUTO_TEST_CASE(claim_takes_room_while_others_wait_for_further_entries) {
  it.take(200, room_need::first);
  first.has = 200;
  first.can_take = false;
  first.wait(100);
  BOOST_TEST(!it.take(100, room_need::more));
  BOOST_TEST(it.take(100, room_need::first));
}

BOOST_AUTO_TEST_CASE(further_entries_are_made_in_turn) {
  it.take(300, room_need::first);
  first.has = second.has = 100;
  first.wait(300);
  second.wait(300);
  it.put_back(300);
  it.serve();
  BOOST_TEST(first.has == 300u);
  BOOST_TEST(second.has == 200u);
}

// It wants more than it has claimed.
BOOST_AUTO_TEST_CASE(claim_is_served_once) {
  it.take(300, room_need::first);
  first.wait(100);
  second.wait(100);
  it.put_back(200);
  it.serve();
  BOOST_TEST(second.has == 100u);
  BOOST_TEST(first.has == 100u);
}

BOOST_AUTO_TEST_CASE(claim_gets_the_room_of_surplus_entries) {
  it.take(300, room_need::first);
  first.has = 300;
  first.surplus = 200;
  it.update(first);
  BOOST_TEST(second.wait(100));
  it.serve();
  BOOST_TEST(first.leaving == 200u);
  BOOST_TEST(second.has == 0u);
  BOOST_TEST(first.leave());
  it.serve();
  BOOST_TEST(second.has == 100u);
}

BOOST_AUTO_TEST_CASE(surplus_is_asked_for_as_soon_as_there_is_some) {
  it.take(300, room_need::first);
  first.has = 300;
  second.wait(100);
  it.serve();
  first.surplus = 100;
  BOOST_TEST(it.update(first));
  it.serve();
  BOOST_TEST(first.leaving == 100u);
}

BOOST_AUTO_TEST_CASE(surplus_entries_stay_where_no_claim_waits) {
  it.take(300, room_need::first);
  first.has = second.has = 100;
  first.surplus = 100;
  it.update(first);
  second.wait(100);
  it.serve();
  BOOST_TEST(first.leaving == 0u);
}

// An acquisition that has brought its room has an entry, and leaves again.
BOOST_AUTO_TEST_CASE(claim_keeps_its_place_behind_one_that_has_brought_its_room) {
  it.take(300, room_need::first);
  first.wait(100);
  second.wait(100);
  first.has = 100;
  it.update(first);
  first.has = 0;
  it.update(first);
  it.put_back(100);
  it.serve();
  BOOST_TEST(first.has == 100u);
  BOOST_TEST(second.has == 0u);
}

BOOST_AUTO_TEST_CASE(user_that_is_destroyed_does_not_wait) {
  it.take(300, room_need::first);
  {
    user gone{it};
    gone.wait(100);
  }
  BOOST_TEST(!it.is_any_waiting());
}

// 1,000 users wait for room, and 1,000 have surplus entries.
BOOST_AUTO_TEST_CASE(event_of_one_user_asks_few_others) {
  node_budget full(100'000);
  full.take(100'000, room_need::first);
  std::deque<user> waiting;
  std::deque<user> roomy;
  for (int i = 0; i < 1'000; ++i) {
    waiting.emplace_back(full).wait(100);
    auto& holds = roomy.emplace_back(full);
    holds.has = holds.surplus = 100;
    full.update(holds);
  }
  const auto count = [&] {
    int calls = 0;
    for (const auto* all : {&waiting, &roomy})
      for (const auto& each : *all)
        calls += each.calls;
    return calls;
  };
  for (int i = 0; i < 500; ++i) {
    if (full.update(waiting.back())) full.serve();
    for (auto& each : roomy)
      if (each.leaving != 0 && each.leave()) full.serve();
  }
  BOOST_TEST(count() < 5'000);
  // In their order.
  for (std::size_t i = 0; i < 200; ++i)
    BOOST_TEST(waiting[i].has == 100u);
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace zklock::test

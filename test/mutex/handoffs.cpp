// Hand-overs: an entry is passed on from a waiter of a client to the next waiter.
#include "support/scene.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/detached.hpp>
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <string>
#include <vector>

using namespace zklock;
using namespace zklock::test;

namespace {

constexpr std::uint32_t turns = 4;

struct handing_over : two_clients {
  handing_over() : two_clients({.ours = options()}) {}

  static client_options options() {
    auto result = options_for(behind_door);
    result.local_handoffs = turns;
    result.check_interval = 500ms;
    return result;
  }

  mutex lock{zk, path};
  mutex foreign{other, path};
};

} // namespace

BOOST_AUTO_TEST_SUITE(handoffs, *boost::unit_test::timeout(120))

BOOST_AUTO_TEST_CASE(entry_serves_all_waiters_while_no_other_client_wants_the_lock) {
  handing_over s;
  std::vector<fencing_token> tokens;
  int inside = 0;
  bool enough = false;
  const auto come_again = [&]() -> asio::awaitable<void> {
    while (!enough) {
      hold held = co_await s.lock.acquire(30s);
      BOOST_TEST(++inside == 1);
      BOOST_TEST(held.owns_lock());
      tokens.push_back(held.token());
      co_await asio::post(s.io, asio::use_awaitable);
      --inside;
      co_await held.release();
    }
  };
  const auto count_requests = [&]() -> asio::awaitable<void> {
    const auto warm = [&] { return tokens.size() >= 100; };
    co_await eventually(warm);
    s.door.reset_counts();
    const auto before = tokens.size();
    const auto done = [&] { return tokens.size() >= before + 1000; };
    co_await eventually(done);
    // Within the limit it would be one create and one delete for these turns and the first. Where
    // no waiter is there in time the entry goes.
    const auto entries = (tokens.size() - before) / (turns + 1);
    BOOST_TEST(s.door.requests(testing::operation::create2) <= entries / 4);
    BOOST_TEST(s.door.requests(testing::operation::remove) <= entries / 4);
    enough = true;
  };
  run(s.io, [&]() -> asio::awaitable<void> {
    std::vector<asio::awaitable<void>> all;
    for (int i = 0; i < 10; ++i)
      all.push_back(come_again());
    all.push_back(count_requests());
    co_await together(std::move(all));
    co_await wait_for_entries(s.witness, s.path, 0);
  });
  BOOST_TEST(std::is_sorted(tokens.begin(), tokens.end()));
  BOOST_TEST((std::adjacent_find(tokens.begin(), tokens.end()) == tokens.end()));
  const auto most = std::max_element(tokens.begin(), tokens.end(),
                                     [](auto a, auto b) { return a.turn() < b.turn(); });
  BOOST_TEST(most->turn() > turns);
}

BOOST_AUTO_TEST_CASE(foreign_waiter_is_granted_after_the_allowed_turns) {
  handing_over s;
  run(s.io, [&]() -> asio::awaitable<void> {
    hold held = co_await s.lock.acquire(10s);
    std::string order;
    const auto stand = [&](mutex& lock, char waiter) -> asio::awaitable<void> {
      const hold own = co_await lock.acquire(30s);
      order += waiter;
    };
    std::vector<asio::awaitable<void>> all;
    for (int i = 0; i < 2; ++i)
      asio::co_spawn(s.io, stand(s.lock, 'a'), asio::detached);
    co_await wait_for_entries(s.witness, s.path, 3);
    asio::co_spawn(s.io, stand(s.foreign, 'b'), asio::detached);
    co_await wait_for_entries(s.witness, s.path, 4);
    for (int i = 0; i < 18; ++i)
      asio::co_spawn(s.io, stand(s.lock, 'a'), asio::detached);
    co_await wait_for_entries(s.witness, s.path, 22);
    // The reply comes behind the replies to the creates: an entry whose create is not answered is
    // not given up before older entries.
    co_await s.lock.count_waiting();
    held = hold();
    const auto all_done = [&] { return order.size() == 21; };
    co_await eventually(all_done);
    // Three of our entries were ahead: the first with a single turn left, two with all their turns.
    BOOST_TEST(order.find('b') == 3 * (turns + 1) - 1);
    co_await wait_for_entries(s.witness, s.path, 0);
  });
}

BOOST_AUTO_TEST_CASE(handed_over_hold_is_lost_as_any_hold) {
  for (const bool by_hand : {false, true}) {
    handing_over s;
    run(s.io, [&]() -> asio::awaitable<void> {
      hold first = co_await s.lock.acquire(10s);
      hold second;
      asio::co_spawn(s.io, s.lock.acquire(30s, asio::use_awaitable),
                     [&](std::exception_ptr, hold got) { second = std::move(got); });
      co_await wait_for_entries(s.witness, s.path, 2);
      const auto node = first.node();
      co_await first.release();
      const auto passed_on = [&] { return second.owns_lock(); };
      co_await eventually(passed_on);
      BOOST_TEST(second.node() == node);
      BOOST_TEST(second.token().turn() == 1u);
      BOOST_TEST((second.valid_until() > boot_clock::now()));
      if (by_hand)
        s.witness.remove(node);
      else
        shared_server().expire(s.zk.session_id());
      const auto why = co_await second.wait_lost();
      BOOST_TEST((why == (by_hand ? errc::entry_deleted : errc::session_expired)));
      BOOST_TEST(!second.owns_lock());
    });
  }
}

BOOST_AUTO_TEST_CASE(waiter_that_gave_up_gets_no_turn) {
  handing_over s;
  run(s.io, [&]() -> asio::awaitable<void> {
    hold held = co_await s.lock.acquire(10s);
    asio::cancellation_signal signal;
    error_code result;
    hold last;
    s.lock.acquire(asio::bind_cancellation_slot(
        signal.slot(), [&](error_code error, const hold&) { result = error; }));
    asio::co_spawn(s.io, s.lock.acquire(30s, asio::use_awaitable),
                   [&](std::exception_ptr, hold got) { last = std::move(got); });
    co_await wait_for_entries(s.witness, s.path, 3);
    signal.emit(asio::cancellation_type::terminal);
    const auto ended = [&] { return result.failed(); };
    co_await eventually(ended);
    BOOST_TEST(result == asio::error::operation_aborted);
    co_await wait_for_entries(s.witness, s.path, 2);
    co_await held.release();
    const auto passed_on = [&] { return last.owns_lock(); };
    co_await eventually(passed_on);
    BOOST_TEST(last.token().turn() == 1u);
    co_await last.release();
    co_await wait_for_entries(s.witness, s.path, 0);
  });
}

BOOST_AUTO_TEST_CASE(entry_whose_release_was_requested_is_not_handed_over) {
  handing_over s;
  run(s.io, [&]() -> asio::awaitable<void> {
    std::vector<hold> held(2);
    held[0] = co_await s.lock.acquire(10s);
    asio::co_spawn(s.io, s.lock.acquire(30s, asio::use_awaitable),
                   [&](std::exception_ptr, hold got) { held[1] = std::move(got); });
    co_await wait_for_entries(s.witness, s.path, 2);
    const auto node = held[0].node();
    s.witness.set(node, "__REVOKE__\nfirst\n");
    BOOST_TEST(co_await held[0].wait_release_requested() == "first");
    co_await held[0].release();
    const auto granted = [&] { return held[1].owns_lock(); };
    co_await eventually(granted);
    BOOST_TEST(held[1].node() != node);
    BOOST_TEST(!s.witness.exists(node).has_value());
    co_await held[1].release();
  });
}

BOOST_AUTO_TEST_CASE(reader_has_a_higher_token_than_one_that_released_before_it_acquired) {
  handing_over s;
  shared_mutex ours(s.zk, s.path);
  shared_mutex theirs(s.other, s.path);
  run(s.io, [&]() -> asio::awaitable<void> {
    hold first = co_await ours.acquire_shared(30s);
    hold second = co_await theirs.acquire_shared(30s);
    hold writer;
    hold last;
    // A writer that blocks our next reader.
    asio::co_spawn(s.io, theirs.acquire(30s, asio::use_awaitable),
                   [&](std::exception_ptr, hold got) { writer = std::move(got); });
    co_await wait_for_entries(s.witness, s.path, 3);
    const auto done = second.token();
    co_await second.release();
    asio::co_spawn(s.io, ours.acquire_shared(30s, asio::use_awaitable),
                   [&](std::exception_ptr, hold got) { last = std::move(got); });
    co_await wait_for_entries(s.witness, s.path, 3);
    co_await first.release();
    const auto granted = [&] { return writer.owns_lock() || last.owns_lock(); };
    co_await eventually(granted);
    writer = hold();
    const auto reads = [&] { return last.owns_lock(); };
    co_await eventually(reads);
    BOOST_TEST(last.token() > done);
    BOOST_TEST(last.token().turn() == 0u);
    co_await last.release();
    co_await wait_for_entries(s.witness, s.path, 0);
  });
}

BOOST_AUTO_TEST_SUITE_END()

// Acquires that wait in line for a cached lock, and the ends of their waits.
#include "cache/caching.hpp"
#include "support/background.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/strand.hpp>
#include <boost/test/unit_test.hpp>

#include <atomic>
#include <future>
#include <memory>
#include <optional>
#include <random>
#include <vector>

using namespace zklock;
using namespace zklock::test;

namespace {

/// The lock is cached, held, and wanted by two more acquires.
struct line_scene : caching_scene {
  hold held;
  pending<hold> first, second;

  asio::awaitable<void> get_in_line() {
    co_await keep(lock);
    co_await warm();
    held = co_await lock.acquire(10s);
    lock.acquire(60s, first.token());
    lock.acquire(60s, second.token());
    requests_sent(door);
    BOOST_TEST(zk.stats().total.waiters == 2u);
    BOOST_TEST(zk.stats().total.holds == 1u);
    BOOST_TEST(zk.cached() == 0u);
  }

  /// Both waiters get the lock, in their order.
  asio::awaitable<void> go_on() {
    if (held.state() != hold_state::empty) co_await held.release();
    auto [error, one] = co_await first.get();
    BOOST_TEST(!error);
    BOOST_TEST(!second.done());
    co_await one.release();
    auto [late_error, two] = co_await second.get();
    BOOST_TEST(!late_error);
    BOOST_TEST((two.token() > one.token()));
    co_await two.release();
    BOOST_TEST(zk.stats().total.waiters == 0u);
    BOOST_TEST(zk.stats().total.holds == 0u);
  }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(lines_of_lock_caches, line_scene, *boost::unit_test::timeout(120))

BOOST_AUTO_TEST_CASE(waiter_is_granted_when_its_predecessor_releases) {
  run(io, [&]() -> asio::awaitable<void> {
    co_await get_in_line();
    const auto before = zk.stats().total;
    co_await go_on();
    BOOST_TEST(zk.cached() == 1u);
    BOOST_TEST(zk.stats().total.acquired == before.acquired + 2);
    BOOST_TEST(zk.stats().total.waited.count == before.waited.count + 2);
    BOOST_TEST(requests_sent(door) == "");
  });
}

BOOST_AUTO_TEST_CASE(deadlines_end_in_their_own_order_not_in_the_order_of_the_line) {
  run(io, [&]() -> asio::awaitable<void> {
    co_await get_in_line();
    std::vector<int> order;
    const auto wait = [&](int number, std::chrono::milliseconds timeout) -> asio::awaitable<void> {
      const auto [error, none] = co_await lock.acquire(timeout, as_result);
      if (error == errc::timed_out) order.push_back(number);
    };
    // So far apart that each deadline is looked at by itself, also on a slow machine.
    asio::co_spawn(io, wait(3, 2'050ms), asio::detached);
    asio::co_spawn(io, wait(2, 1'050ms), asio::detached);
    asio::co_spawn(io, wait(1, 50ms), asio::detached);
    const auto all = [&] { return order.size() == 3; };
    co_await eventually(all);
    BOOST_TEST(order == (std::vector<int>{1, 2, 3}), boost::test_tools::per_element());
    BOOST_TEST(zk.stats().total.waiters == 2u);
    co_await go_on();
  });
}

BOOST_AUTO_TEST_CASE(order_stays_where_the_holder_waits_for_its_loss) {
  run(io, [&]() -> asio::awaitable<void> {
    co_await get_in_line();
    pending<error_code> lost;
    held.wait_lost(lost.token());
    co_await go_on();
    co_await lost.get();
  });
}

BOOST_AUTO_TEST_CASE(order_stays_over_a_reconnect) {
  run(io, [&]() -> asio::awaitable<void> {
    co_await get_in_line();
    door.refuse();
    const auto noticed = [&] { return !zk.connected(); };
    co_await eventually(noticed);
    BOOST_TEST(zk.stats().total.waiters == 2u);
    door.accept();
    co_await go_on();
  });
}

BOOST_AUTO_TEST_CASE(other_client_has_its_turn_before_the_waiters_in_line) {
  run(io, [&]() -> asio::awaitable<void> {
    co_await get_in_line();
    pending<hold> others;
    theirs.acquire(60s, others.token());
    // The entries of the holder, of the other client, and of the waiters behind it.
    co_await wait_for_entries(witness, path, 4);
    co_await held.release();
    auto [error, got] = co_await others.get();
    BOOST_TEST(!error);
    BOOST_TEST(!first.done());
    co_await got.release();
    co_await go_on();
  });
}

BOOST_AUTO_TEST_CASE(waiters_end_with_the_client) {
  run(io, [&]() -> asio::awaitable<void> {
    co_await get_in_line();
    co_await zk.close();
    BOOST_TEST((std::get<0>(co_await first.get()) == errc::closed));
    BOOST_TEST((std::get<0>(co_await second.get()) == errc::closed));
    BOOST_TEST((held.state() == hold_state::lost));
    BOOST_TEST(entries(witness, path) == 0u);
  });
}

BOOST_AUTO_TEST_CASE(waiters_end_with_the_session) {
  run(io, [&]() -> asio::awaitable<void> {
    co_await get_in_line();
    BOOST_TEST(shared_server().expire(zk.session_id()));
    const auto lost = [&] { return held.state() == hold_state::lost; };
    co_await eventually(lost);
    co_await go_on();
  });
}

// No handler of the waiters is called, and nothing is left of them.
BOOST_AUTO_TEST_CASE(waiters_are_destroyed_with_the_execution_context) {
  const auto counted = std::make_shared<int>();
  {
    asio::io_context brief{1};
    client ours(brief, caching(shared_server().address()));
    mutex used(ours, path);
    const auto use = [&, counted]() -> asio::awaitable<void> {
      co_await keep(used);
      co_await keep(used);
      const hold mine = co_await used.acquire(10s);
      const auto wait = [&used, counted]() -> asio::awaitable<void> {
        const hold never = co_await used.acquire(60s);
        BOOST_ERROR("it was granted");
      };
      asio::co_spawn(brief, wait, asio::detached);
      asio::co_spawn(brief, wait, asio::detached);
      asio::steady_timer forever(brief, asio::steady_timer::time_point::max());
      co_await forever.async_wait(asio::use_awaitable);
    };
    asio::co_spawn(brief, use, asio::detached);
    run_until(brief, [&] { return ours.stats().total.waiters == 2; });
  }
  BOOST_TEST(counted.use_count() == 1);
}

// The grant, the cancellation and the end of the time cross in all ways.
BOOST_AUTO_TEST_CASE(threads_that_give_up_leave_the_line_as_it_should_be) {
  background context(4);
  client ours(context.io, caching(shared_server().address()));
  mutex used(ours, path);
  for (int i = 0; i < 3; ++i)
    static_cast<void>(get(used.acquire(30s, asio::use_future)));
  std::atomic<int> inside = 0;
  std::atomic<int> granted = 0;
  std::atomic<bool> alone = true;
  std::atomic<bool> expected = true;
  const auto use = [&](unsigned seed) -> asio::awaitable<void> {
    std::mt19937 dice(seed);
    const auto own = co_await asio::this_coro::executor;
    for (int i = 0; i < 300; ++i) {
      const auto stop = std::make_shared<asio::cancellation_signal>();
      asio::steady_timer soon(own, std::chrono::microseconds(dice() % 300));
      const bool cancels = dice() % 3 == 0;
      if (cancels)
        soon.async_wait([stop](error_code) { stop->emit(asio::cancellation_type::total); });
      const std::chrono::microseconds timeout(dice() % 3 == 0 ? dice() % 300 + 1 : 60'000'000);
      auto [error, got] =
          co_await used.acquire(timeout, asio::bind_cancellation_slot(stop->slot(), as_result));
      soon.cancel();
      if (error) {
        expected =
            expected && (error == errc::timed_out || error == asio::error::operation_aborted);
        continue;
      }
      alone = alone && ++inside == 1;
      ++granted;
      --inside;
      if (dice() % 2 == 0)
        co_await got.release();
      else
        got = hold();
    }
  };
  std::vector<std::future<void>> all;
  for (unsigned seed = 1; seed <= 8; ++seed)
    all.push_back(asio::co_spawn(
        asio::make_strand(context.io), [&, seed] { return use(seed); }, asio::use_future));
  for (auto& each : all)
    get(each);
  BOOST_TEST(alone);
  BOOST_TEST(expected);
  BOOST_TEST(granted > 0);
  const hold last = get(used.acquire(30s, asio::use_future));
  BOOST_TEST(last.owns_lock());
  BOOST_TEST(ours.stats().total.waiters == 0u);
  BOOST_TEST(ours.stats().total.holds == 1u);
}

// The waiters got their entries before the lock was cached.
struct line_with_entries : caching_scene {
  hold held;
  pending<hold> next;

  asio::awaitable<void> get_in_line(std::chrono::nanoseconds timeout,
                                    asio::cancellation_slot slot = {}) {
    hold begun = co_await lock.acquire(10s);
    pending<hold> second;
    lock.acquire(10s, second.token());
    lock.acquire(timeout, asio::bind_cancellation_slot(slot, next.token()));
    co_await wait_for_entries(witness, path, 3);
    co_await begun.release();
    auto [error, got] = co_await second.get();
    BOOST_TEST(!error);
    held = std::move(got);
    // The list with the watch is answered before.
    co_await lock.count_waiting();
    BOOST_TEST(entries(witness, path) == 2u);
    BOOST_TEST(zk.stats().total.waiters == 1u);
  }

  /// The waiter has given up; the hold goes on.
  asio::awaitable<void> go_on(error_code why) {
    BOOST_TEST((std::get<0>(co_await next.get()) == why));
    co_await wait_for_entries(witness, path, 1);
    BOOST_TEST(held.owns_lock());
    co_await held.release();
    BOOST_TEST(zk.cached() == 1u);
  }
};

BOOST_FIXTURE_TEST_CASE(entry_of_a_waiter_that_is_cancelled_goes_at_once, line_with_entries) {
  run(io, [&]() -> asio::awaitable<void> {
    asio::cancellation_signal stop;
    co_await get_in_line(60s, stop.slot());
    stop.emit(asio::cancellation_type::total);
    co_await go_on(asio::error::operation_aborted);
  });
}

BOOST_FIXTURE_TEST_CASE(entry_of_a_waiter_whose_time_is_up_goes_at_once, line_with_entries) {
  run(io, [&]() -> asio::awaitable<void> {
    // So long that the line is there before, also on a slow machine.
    co_await get_in_line(3s);
    co_await go_on(errc::timed_out);
  });
}

BOOST_FIXTURE_TEST_CASE(entries_of_granted_waiters_go_with_the_line, line_with_entries) {
  run(io, [&]() -> asio::awaitable<void> {
    co_await get_in_line(60s);
    co_await held.release();
    auto [error, got] = co_await next.get();
    BOOST_TEST(!error);
    co_await got.release();
    co_await wait_for_entries(witness, path, 1);
    BOOST_TEST(zk.cached() == 1u);
  });
}

BOOST_AUTO_TEST_SUITE_END()

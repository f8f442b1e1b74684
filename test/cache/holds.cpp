// Holds that are granted from a cached entry.
#include "cache/caching.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/test/unit_test.hpp>

#include <vector>

using namespace zklock;
using namespace zklock::test;

BOOST_FIXTURE_TEST_SUITE(holds_of_lock_caches, caching_scene, *boost::unit_test::timeout(120))

BOOST_AUTO_TEST_CASE(body_of_with_lock_runs_without_a_request) {
  run(io, [&]() -> asio::awaitable<void> {
    co_await keep(lock);
    co_await warm();
    requests_sent(door);
    int runs = 0;
    const auto body = [&](const hold& held) -> asio::awaitable<void> {
      runs += held.owns_lock();
      co_return;
    };
    for (int i = 0; i < 10; ++i)
      co_await with_lock(lock, 10s, body);
    BOOST_TEST(runs == 10);
    BOOST_TEST(requests_sent(door) == "");
    BOOST_TEST(zk.cached() == 1u);
  });
}

BOOST_AUTO_TEST_CASE(body_of_with_lock_is_cancelled_when_its_cached_entry_is_broken) {
  client ours(io, attentive());
  run(io, [&]() -> asio::awaitable<void> {
    mutex used(ours, path);
    co_await keep(used);
    bool runs = false;
    bool cancelled = false;
    const auto body = [&](const hold&) -> asio::awaitable<void> {
      runs = true;
      asio::steady_timer never(co_await asio::this_coro::executor,
                               asio::steady_timer::time_point::max());
      const auto [error] = co_await never.async_wait(as_result);
      cancelled = error == asio::error::operation_aborted;
    };
    pending<> over;
    asio::co_spawn(io, with_lock(used, 10s, body),
                   [done = over.token()](std::exception_ptr) { done({}); });
    const auto begun = [&] { return runs; };
    co_await eventually(begun);
    co_await theirs.break_lock();
    co_await over.get();
    BOOST_TEST(cancelled);
    BOOST_TEST(ours.cached() == 0u);
  });
}

// The limit applies to a hold, not to its entry.
BOOST_AUTO_TEST_CASE(hold_limit_of_an_earlier_hold_does_not_end_a_later_one) {
  run(io, [&]() -> asio::awaitable<void> {
    co_await keep(lock);
    mutex clock(zk, path + "-clock");
    hold brief = co_await lock.acquire({.hold_limit = 200ms});
    const auto node = brief.node();
    co_await brief.release();
    const hold longer = co_await lock.acquire(10s);
    const hold later = co_await clock.acquire({.hold_limit = 250ms});
    BOOST_TEST((co_await later.wait_lost() == errc::hold_limit_reached));
    BOOST_TEST(longer.owns_lock());
    BOOST_TEST(longer.node() == node);
  });
}

BOOST_AUTO_TEST_CASE(hold_of_a_cached_entry_is_lost_at_its_limit) {
  run(io, [&]() -> asio::awaitable<void> {
    co_await keep(lock);
    co_await warm();
    const hold held = co_await lock.acquire({.hold_limit = 50ms});
    BOOST_TEST(held.token().turn() == 2u);
    pending<hold> next;
    lock.acquire(60s, next.token());
    BOOST_TEST((co_await held.wait_lost() == errc::hold_limit_reached));
    const auto [error, got] = co_await next.get();
    BOOST_TEST(!error);
    BOOST_TEST((got.token() > held.token()));
  });
}

BOOST_AUTO_TEST_CASE(entry_is_cached_once_its_owner_has_released_all_holds) {
  run(io, [&]() -> asio::awaitable<void> {
    co_await keep(lock);
    const owner me;
    hold first = co_await lock.acquire({.owner = me});
    hold second = co_await lock.acquire({.owner = me});
    const auto token = second.token();
    co_await first.release();
    BOOST_TEST(zk.cached() == 0u);
    BOOST_TEST(!(co_await lock.try_acquire()));
    co_await second.release();
    BOOST_TEST(zk.cached() == 1u);
    // A cached entry has no owner.
    const owner another;
    const hold third = co_await lock.acquire({.owner = another});
    BOOST_TEST((third.token() > token));
    BOOST_TEST(third.token().transaction() == token.transaction());
  });
}

BOOST_AUTO_TEST_CASE(writer_of_a_cached_entry_becomes_a_reader) {
  run(io, [&]() -> asio::awaitable<void> {
    shared_mutex both(zk, path + "-rw");
    shared_mutex others(other, path + "-rw");
    co_await keep(both);
    BOOST_TEST(zk.cached() == 1u);
    hold held = co_await both.acquire(10s);
    co_await held.downgrade();
    const hold beside = co_await others.acquire_shared(10s);
    BOOST_TEST((held.owns_lock() && beside.owns_lock()));
    co_await held.release();
    pending<hold> writer;
    others.acquire(60s, writer.token());
    // Behind the other client's reader; the cached entry of the first reader is deleted.
    const auto gone = [&] { return zk.cached() == 0; };
    co_await eventually(gone);
    co_await wait_for_entries(witness, path + "-rw", 2);
    BOOST_TEST(!writer.done());
  });
}

BOOST_AUTO_TEST_CASE(own_reader_does_not_wait_for_a_cached_writer) {
  run(io, [&]() -> asio::awaitable<void> {
    shared_mutex both(zk, path + "-rw");
    co_await keep(both);
    const hold reader = co_await both.acquire_shared(10s);
    const hold beside = co_await both.acquire_shared(10s);
    BOOST_TEST((reader.owns_lock() && beside.owns_lock()));
  });
}

// As often as without a cache while another client waits.
BOOST_AUTO_TEST_CASE(cached_entry_is_handed_over_a_few_times_while_another_client_waits) {
  auto options = caching(shared_server().address());
  options.local_handoffs = 3;
  client several(io, options);
  run(io, [&]() -> asio::awaitable<void> {
    mutex ours(several, path);
    co_await keep(ours);
    hold held = co_await ours.acquire(10s);
    std::vector<int> order;
    asio::co_spawn(io, join_line(theirs, order, 100), asio::detached);
    co_await wait_for_entries(witness, path, 2);
    for (int i = 1; i <= 5; ++i)
      asio::co_spawn(io, join_line(ours, order, i), asio::detached);
    co_await wait_for_entries(witness, path, 7);
    co_await held.release();
    const auto all = [&] { return order.size() == 6; };
    co_await eventually(all);
    BOOST_TEST(order == (std::vector<int>{1, 2, 3, 100, 4, 5}), boost::test_tools::per_element());
  });
}

// A cached entry is no hold: it is revoked for a client that waits for it with another lock in
// hand.
BOOST_AUTO_TEST_CASE(multi_lock_is_acquired_though_other_clients_cache_some_locks) {
  run(io, [&]() -> asio::awaitable<void> {
    const auto a = path + "-a";
    const auto b = path + "-b";
    mutex ours_a(zk, a), ours_b(zk, b), theirs_a(other, a), theirs_b(other, b);
    co_await keep(ours_a);
    co_await keep(ours_b);
    BOOST_TEST(zk.cached() == 2u);
    hold first = co_await theirs_a.acquire(10s);
    BOOST_TEST(zk.cached() == 1u);
    multi_lock ours(ours_a, ours_b);
    pending<multi_hold> all;
    ours.acquire(60s, all.token());
    co_await wait_for_entries(witness, a, 2);
    hold second = co_await theirs_b.acquire(10s);
    BOOST_TEST(zk.cached() == 0u);
    BOOST_TEST(!all.done());
    co_await first.release();
    co_await second.release();
    const auto [error, held] = co_await all.get();
    BOOST_TEST(!error);
    BOOST_TEST(held.owns_lock());
  });
}

BOOST_AUTO_TEST_CASE(acquire_any_gets_a_cached_lock) {
  run(io, [&]() -> asio::awaitable<void> {
    mutex second(zk, path + "-2");
    const hold taken = co_await theirs.acquire(10s);
    co_await keep(second);
    co_await keep(second);
    const std::vector<any_lock> either{lock, second};
    auto [which, held] = co_await acquire_any(either, 10s);
    BOOST_TEST(which == 1u);
    BOOST_TEST(held.token().turn() > 0u);
    // Nothing waits for the lock `lock`.
    co_await wait_for_entries(witness, path, 1);
    co_await held.release();
    BOOST_TEST(zk.cached() == 1u);
  });
}

BOOST_AUTO_TEST_CASE(acquire_any_of_cached_locks_costs_no_request) {
  run(io, [&]() -> asio::awaitable<void> {
    mutex second(zk, path + "-2");
    for (int i = 0; i < 2; ++i) {
      co_await keep(lock);
      co_await keep(second);
    }
    requests_sent(door);
    const std::vector<any_lock> either{lock, second};
    auto [which, held] = co_await acquire_any(either, 10s);
    BOOST_TEST(held.owns_lock());
    co_await held.release();
    const auto both = [&] { return zk.cached() == 2; };
    co_await eventually(both);
    BOOST_TEST(requests_sent(door) == "");
  });
}

BOOST_AUTO_TEST_SUITE_END()

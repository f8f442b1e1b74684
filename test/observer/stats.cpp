// client::stats: every counter is moved by the event that it counts.
#include "observer/measured.hpp"

#include <boost/test/unit_test.hpp>

#include <numeric>

using namespace zklock;
using namespace zklock::test;

BOOST_FIXTURE_TEST_SUITE(stats_of_locks, measured_scene, *boost::unit_test::timeout(120))

BOOST_AUTO_TEST_CASE(new_client_has_counted_nothing) {
  asio::io_context idle{1};
  const client unused(idle, options_for(door.address()));
  expect(unused.stats(), {});
  BOOST_TEST((unused.stats().state == connection_state::connecting));
  BOOST_TEST(unused.stats().requests == 0u);
  BOOST_TEST((unused.stats().margin == 0s));
}

BOOST_AUTO_TEST_CASE(hold_and_waiter_are_counted_from_their_start_to_their_end) {
  run(io, [&]() -> asio::awaitable<void> {
    mutex lock(zk, path);
    hold held = co_await lock.acquire(10s);
    expect(zk.stats(), {.acquired = 1, .holds = 1});
    pending<hold> next;
    lock.acquire(60s, next.token());
    const auto waits = [&] { return zk.stats().total.waiters == 1; };
    co_await eventually(waits);
    expect(zk.stats(), {.acquired = 1, .holds = 1, .waiters = 1});
    co_await held.release();
    auto [error, second] = co_await next.get();
    expect(zk.stats(), {.acquired = 2, .released = 1, .holds = 1});
    second = hold();
    const auto ended = [&] { return zk.stats().total.released == 2; };
    co_await eventually(ended);
    expect(zk.stats(), {.acquired = 2, .released = 2});
  });
}

BOOST_AUTO_TEST_CASE(durations_are_those_of_the_hold) {
  run(io, [&]() -> asio::awaitable<void> {
    mutex lock(zk, path);
    const auto called = std::chrono::steady_clock::now();
    hold held = co_await lock.acquire(10s);
    const std::chrono::duration<double> waited = held.held_since() - called;
    const auto granted = zk.stats().total;
    BOOST_TEST(granted.waited.count == 1u);
    BOOST_TEST(granted.held.count == 0u);
    BOOST_TEST((granted.waited.sum <= waited && granted.waited.sum > 0s));
    const auto begun = held.held_since();
    co_await held.release();
    const std::chrono::duration<double> longest = std::chrono::steady_clock::now() - begun;
    const auto ended = zk.stats().total.held;
    BOOST_TEST(ended.count == 1u);
    BOOST_TEST((ended.sum <= longest && ended.sum > 0s));
    const auto& buckets = ended.buckets;
    BOOST_TEST(std::accumulate(buckets.begin(), buckets.end(), std::uint64_t{0}) == 1u);
    const auto& bounds = duration_histogram::upper_bounds;
    const auto bucket = static_cast<std::size_t>(
        std::lower_bound(bounds.begin(), bounds.end(), ended.sum.count()) - bounds.begin());
    BOOST_TEST(buckets.at(bucket) == 1u);
  });
}

BOOST_AUTO_TEST_CASE(each_end_of_a_wait_has_a_counter) {
  run(io, [&]() -> asio::awaitable<void> {
    mutex foreign(other, path);
    mutex lock(zk, path);
    const hold held = co_await foreign.acquire(10s);
    BOOST_TEST(!(co_await lock.try_acquire()));
    expect(zk.stats(), {.busy = 1});
    BOOST_TEST((co_await error_of(lock.acquire(50ms, as_result)) == errc::timed_out));
    expect(zk.stats(), {.timed_out = 1, .busy = 1});
    asio::cancellation_signal stop;
    pending<hold> waiting;
    lock.acquire(asio::bind_cancellation_slot(stop.slot(), waiting.token()));
    const auto waits = [&] { return zk.stats().total.waiters == 1; };
    co_await eventually(waits);
    stop.emit(asio::cancellation_type::total);
    BOOST_TEST((std::get<0>(co_await waiting.get()) == asio::error::operation_aborted));
    expect(zk.stats(), {.timed_out = 1, .cancelled = 1, .busy = 1});
    BOOST_TEST((co_await error_of(lock.acquire(-1s, as_result)) == errc::bad_timeout));
    expect(zk.stats(), {.timed_out = 1, .cancelled = 1, .busy = 1, .failed = 1});
    BOOST_TEST(zk.stats().total.waited.count == 0u);
    door.refuse();
    const auto cut = [&] { return !zk.connected(); };
    co_await eventually(cut);
    BOOST_TEST((co_await error_of(lock.acquire(50ms, as_result)) == errc::not_connected));
    expect(zk.stats(), {.timed_out = 1, .cancelled = 1, .busy = 1, .failed = 2});
  });
}

BOOST_AUTO_TEST_CASE(owner_that_acquires_again_shares_its_hold) {
  run(io, [&]() -> asio::awaitable<void> {
    mutex lock(zk, path);
    const owner me;
    hold first = co_await lock.acquire({.owner = me});
    hold second = co_await lock.acquire({.owner = me});
    expect(zk.stats(), {.acquired = 1, .reentered = 1, .holds = 1});
    co_await first.release();
    expect(zk.stats(), {.acquired = 1, .reentered = 1, .holds = 1});
    co_await second.release();
    expect(zk.stats(), {.acquired = 1, .reentered = 1, .released = 1});
  });
}

BOOST_AUTO_TEST_CASE(only_grants_without_a_new_entry_count_as_handed_over) {
  auto options = options_for(door.address(), 30s);
  options.local_handoffs = 1;
  client passing(io, options);
  run(io, [&]() -> asio::awaitable<void> {
    mutex lock(passing, path);
    hold held = co_await lock.acquire(10s);
    std::array<pending<hold>, 2> next;
    for (auto& each : next)
      lock.acquire(60s, each.token());
    const auto wait = [&] { return passing.stats().total.waiters == 2; };
    co_await eventually(wait);
    co_await held.release();
    for (auto& each : next) {
      auto [error, got] = co_await each.get();
      co_await got.release();
    }
    expect(passing.stats(), {.acquired = 3, .handed_over = 1, .released = 3});
  });
}

BOOST_AUTO_TEST_CASE(locks_of_a_multi_lock_and_permits_count_as_one_hold_each) {
  run(io, [&]() -> asio::awaitable<void> {
    multi_lock both(mutex(zk, path + "/a"), semaphore(zk, path + "/b", 3).permits(2));
    multi_hold held = co_await both.acquire(10s);
    expect(zk.stats(), {.acquired = 2, .holds = 2});
    co_await held.release();
    expect(zk.stats(), {.acquired = 2, .released = 2});
  });
}

BOOST_AUTO_TEST_CASE(acquire_any_counts_each_lock) {
  run(io, [&]() -> asio::awaitable<void> {
    mutex taken(other, path + "/a");
    const hold foreign = co_await taken.acquire(10s);
    std::vector<any_lock> locks{mutex(zk, path + "/a"), mutex(zk, path + "/b")};
    const auto [which, held] = co_await acquire_any(locks, 10s);
    BOOST_TEST(which == 1u);
    const auto ended = [&] { return zk.stats().total.cancelled == 1; };
    co_await eventually(ended);
    expect(zk.stats(), {.acquired = 1, .cancelled = 1, .holds = 1});
  });
}

BOOST_AUTO_TEST_CASE(release_request_is_counted_once_where_it_arrives) {
  run(io, [&]() -> asio::awaitable<void> {
    mutex lock(zk, path);
    const mutex asking(other, path);
    const hold held = co_await lock.acquire(10s);
    std::array<pending<std::string>, 2> waits;
    for (auto& each : waits)
      held.wait_release_requested(each.token());
    const auto node = held.node();
    co_await watched(node);
    const auto all = co_await asking.participants();
    co_await asking.request_release(all.at(0));
    for (auto& each : waits)
      co_await each.get();
    expect(zk.stats(), {.acquired = 1, .release_requests = 1, .holds = 1});
    expect(other.stats(), {});
  });
}

BOOST_AUTO_TEST_SUITE_END()

// Acquires of a cached lock that contend, give up, or outlive the client or lock object.
#include "cache/caching.hpp"
#include "support/background.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/strand.hpp>
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <future>
#include <optional>
#include <vector>

using namespace zklock;
using namespace zklock::test;

BOOST_FIXTURE_TEST_SUITE(waiters_of_lock_caches, caching_scene, *boost::unit_test::timeout(120))

BOOST_AUTO_TEST_CASE(waiters_of_a_cached_lock_are_granted_in_fifo_order_without_a_request) {
  run(io, [&]() -> asio::awaitable<void> {
    co_await keep(lock);
    co_await warm();
    requests_sent(door);
    std::vector<int> expected;
    std::vector<int> order;
    for (int i = 0; i < 100; ++i) {
      expected.push_back(i);
      asio::co_spawn(io, join_line(lock, order, i), asio::detached);
    }
    // Behind all waiters.
    const hold last = co_await lock.acquire(60s);
    BOOST_TEST(order == expected, boost::test_tools::per_element());
    BOOST_TEST(requests_sent(door) == "");
  });
}

asio::awaitable<void> use_again_and_again(mutex& lock, int times, int& at_work) {
  for (int i = 0; i < times; ++i) {
    hold held = co_await lock.acquire(60s);
    co_await held.release();
  }
  --at_work;
}

// Each waiter has an entry before the lock is cached. From then on nothing changes the line, and so
// the watch that tells of other clients stays.
BOOST_AUTO_TEST_CASE(line_of_waiters_is_granted_without_a_request_from_the_second_use_on) {
  constexpr int waiters = 50;
  run(io, [&]() -> asio::awaitable<void> {
    int at_work = waiters;
    for (int i = 0; i < waiters; ++i)
      asio::co_spawn(io, use_again_and_again(lock, 100, at_work), asio::detached);
    const auto all_done = [&] { return at_work == 0; };
    co_await eventually(all_done);
    BOOST_TEST(zk.cached() == 1u);
    // An entry for each waiter, all but the last deleted, and seven further requests. If the
    // machine stops for a moment the entry is evicted, and a few requests follow; but not for each
    // use.
    BOOST_TEST(door.requests(testing::operation::create2) < 2u * waiters);
    BOOST_TEST(door.total_requests() < 4u * waiters);
  });
}

BOOST_AUTO_TEST_CASE(waiters_of_a_cached_lock_time_out_and_are_cancelled) {
  run(io, [&]() -> asio::awaitable<void> {
    co_await keep(lock);
    co_await warm();
    requests_sent(door);
    hold held = co_await lock.acquire(10s);
    pending<hold> brief, cancelled, last;
    asio::cancellation_signal stop;
    lock.acquire(20ms, brief.token());
    lock.acquire(60s, asio::bind_cancellation_slot(stop.slot(), cancelled.token()));
    lock.acquire(60s, last.token());
    const auto waiting = [&] { return zk.stats().total.waiters == 3; };
    co_await eventually(waiting);
    stop.emit(asio::cancellation_type::total);
    BOOST_TEST((std::get<0>(co_await cancelled.get()) == asio::error::operation_aborted));
    BOOST_TEST((std::get<0>(co_await brief.get()) == errc::timed_out));
    BOOST_TEST(!last.done());
    co_await held.release();
    auto [error, next] = co_await last.get();
    BOOST_TEST(!error);
    co_await next.release();
    BOOST_TEST(zk.cached() == 1u);
    BOOST_TEST(requests_sent(door) == "");
  });
}

// The grant and the cancellation cross: the lock is either held, or cached as before.
BOOST_AUTO_TEST_CASE(acquire_of_a_cached_lock_is_cancelled_at_any_time) {
  background context(2);
  client ours(context.io, caching(shared_server().address()));
  mutex used(ours, path);
  const auto use = [&] {
    hold held = get(used.acquire(30s, asio::use_future));
    get(held.release(asio::use_future));
  };
  for (int i = 0; i < 3; ++i)
    use();
  asio::strand<asio::io_context::executor_type> own(context.io.get_executor());
  for (int i = 0; i < 300; ++i) {
    asio::cancellation_signal stop;
    std::promise<error_code> over;
    asio::post(own, [&] {
      used.acquire(30s, asio::bind_cancellation_slot(
                            stop.slot(), asio::bind_executor(own, [&](error_code error, hold held) {
                              held = hold();
                              over.set_value(error);
                            })));
    });
    asio::post(own, [&] { stop.emit(asio::cancellation_type::total); });
    const auto error = get(over.get_future());
    BOOST_TEST((!error || error == asio::error::operation_aborted));
    std::promise<void> left;
    asio::post(own, [&] { left.set_value(); });
    get(left.get_future());
  }
  const hold last = get(used.acquire(30s, asio::use_future));
  BOOST_TEST(last.owns_lock());
  // If the machine stopped for a moment the entry was evicted, and new entries are on their way.
  wait_until([&] { return entries(witness, path) == 1; });
}

BOOST_AUTO_TEST_CASE(threads_that_use_a_cached_lock_exclude_each_other) {
  background context(4);
  client ours(context.io, caching(shared_server().address()));
  int inside = 0;
  int most = 0;
  fencing_token newest;
  bool always_rises = true;
  const auto use = [&]() -> asio::awaitable<void> {
    mutex used(ours, path);
    for (int i = 0; i < 500; ++i) {
      hold held = co_await used.acquire(60s);
      most = std::max(most, ++inside);
      always_rises = always_rises && held.token() > newest;
      newest = held.token();
      --inside;
      co_await held.release();
    }
  };
  std::vector<std::future<void>> all;
  for (int i = 0; i < 4; ++i)
    all.push_back(asio::co_spawn(context.io, use(), asio::use_future));
  for (auto& each : all)
    get(each);
  BOOST_TEST(most == 1);
  BOOST_TEST(always_rises);
  // If the machine stops for a moment the entry is evicted meanwhile.
  BOOST_TEST(ours.stats().total.handed_over >= 1'000u);
}

BOOST_AUTO_TEST_CASE(client_that_is_destroyed_leaves_the_lock_to_others) {
  std::optional<client> brief(std::in_place, io, caching(shared_server().address()));
  run(io, [&]() -> asio::awaitable<void> {
    mutex ours(*brief, path);
    co_await keep(ours);
    BOOST_TEST(entries(witness, path) == 1u);
    brief.reset();
    const hold held = co_await theirs.acquire(10s);
    BOOST_TEST(entries(witness, path) == 1u);
    BOOST_TEST((std::get<0>(co_await ours.acquire(1s, as_result)) == errc::closed));
  });
}

BOOST_AUTO_TEST_CASE(lock_object_may_end_while_its_lock_is_cached) {
  run(io, [&]() -> asio::awaitable<void> {
    std::optional<mutex> first(std::in_place, zk, path);
    co_await keep(*first);
    co_await keep(*first);
    first.reset();
    BOOST_TEST(zk.cached() == 1u);
    requests_sent(door);
    std::optional<mutex> second(std::in_place, zk, path);
    hold held = co_await second->acquire(10s);
    second.reset();
    BOOST_TEST(held.owns_lock());
    co_await held.release();
    BOOST_TEST(zk.cached() == 1u);
    BOOST_TEST(requests_sent(door) == "");
  });
}

// Nothing uses the cached entry that is in the way.
BOOST_AUTO_TEST_CASE(lock_of_another_kind_gets_the_path_of_a_cached_lock) {
  run(io, [&]() -> asio::awaitable<void> {
    co_await keep(lock);
    shared_mutex both(zk, path);
    hold held = co_await both.acquire(10s);
    BOOST_TEST(held.owns_lock());
    BOOST_TEST(entries(witness, path) == 1u);
    BOOST_TEST((std::get<0>(co_await lock.acquire(10s, as_result)) == errc::lock_type_mismatch));
    co_await held.release();
    co_await keep(both);
    const hold back = co_await lock.try_acquire();
    BOOST_TEST(back.owns_lock());
  });
}

BOOST_AUTO_TEST_CASE(lock_of_another_kind_does_not_get_the_path_of_a_held_lock) {
  run(io, [&]() -> asio::awaitable<void> {
    co_await keep(lock);
    co_await warm();
    hold held = co_await lock.acquire(10s);
    shared_mutex both(zk, path);
    BOOST_TEST((std::get<0>(co_await both.acquire(10s, as_result)) == errc::lock_type_mismatch));
    BOOST_TEST(held.owns_lock());
    co_await held.release();
    BOOST_TEST(zk.cached() == 1u);
    const hold next = co_await both.acquire(10s);
    BOOST_TEST(next.owns_lock());
  });
}

BOOST_AUTO_TEST_SUITE_END()

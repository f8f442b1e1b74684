// The bytes of node paths that all waiters of a client may own together.
#include <zklock/testing/relay.hpp>

#include "queued_waiters.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/detached.hpp>
#include <boost/test/unit_test.hpp>

using namespace zklock;
using namespace zklock::test;

namespace {

struct waiters_of_small_budget : queued_waiters {
  waiters_of_small_budget() { options.max_path_bytes = 4096; }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(budgets, waiters_of_small_budget, *boost::unit_test::timeout(60))

BOOST_AUTO_TEST_CASE(waiters_of_one_lock_wait_while_the_budget_is_exhausted) {
  client zk(io, options);
  // The budget is enough for three of them.
  path += "/" + std::string(1000, 'p');
  run(io, [&]() -> asio::awaitable<void> {
    mutex lock(zk, path);
    co_await together(waiters(lock, 20));
    co_await wait_for_entries(witness, path, 0);
  });
  BOOST_TEST(most_nodes == 3u);
  BOOST_TEST(order.size() == 20u);
  BOOST_TEST(std::is_sorted(order.begin(), order.end()));
}

// Otherwise the waiters wait for the holder, and the holder waits for their room.
BOOST_AUTO_TEST_CASE(waiters_make_room_for_another_acquire_of_the_holder) {
  client zk(io, options);
  const std::string tail = "/" + std::string(1000, 'p');
  run(io, [&]() -> asio::awaitable<void> {
    mutex first(zk, path + "-first" + tail);
    mutex second(zk, path + "-second" + tail);
    hold held = co_await first.acquire(10s);
    for (int i = 0; i < 5; ++i)
      asio::co_spawn(io, join_line(first, i), asio::detached);
    co_await wait_for_entries(witness, std::string(first.path()), 3);
    hold also = co_await second.acquire(10s);
    BOOST_TEST(also.owns_lock());
    BOOST_TEST(entries(witness, std::string(first.path())) == 2u);
    co_await also.release();
    co_await held.release();
    const auto all_had_it = [this] { return order.size() == 5; };
    co_await eventually(all_had_it);
    co_await wait_for_entries(witness, std::string(first.path()), 0);
  });
  BOOST_TEST(std::is_sorted(order.begin(), order.end()));
}

BOOST_AUTO_TEST_CASE(waiters_of_other_locks_wait_while_the_budget_is_exhausted) {
  client zk(io, options);
  client rich(io, options_for(shared_server().address()));
  const std::string tail = "/" + std::string(1000, 'p');
  run(io, [&]() -> asio::awaitable<void> {
    std::vector<hold> held;
    for (const auto* name : {"/a", "/b", "/c"}) {
      mutex lock(zk, path + name + tail);
      held.push_back(co_await lock.acquire(10s));
    }
    mutex fourth(zk, path + "/d" + tail);
    auto refused = co_await fourth.try_acquire(asio::as_tuple(asio::deferred));
    BOOST_TEST((std::get<0>(refused) == errc::budget_exhausted));
    refused = co_await fourth.acquire(100ms, asio::as_tuple(asio::deferred));
    BOOST_TEST((std::get<0>(refused) == errc::timed_out));
    BOOST_TEST(entries(witness, std::string(fourth.path())) == 0u);

    asio::co_spawn(io, join_line(fourth, 4), asio::detached);
    mutex fifth(zk, path + "/e" + tail);
    asio::co_spawn(io, join_line(fifth, 5), asio::detached);
    // The budget of other clients is not touched.
    mutex foreign(rich, std::string(fourth.path()));
    hold passing = co_await foreign.acquire(10s);
    co_await passing.release();
    BOOST_TEST(order.empty());

    co_await held.back().release();
    const auto both = [&] { return order.size() == 2; };
    co_await eventually(both);
    for (std::size_t i = 0; i < 2; ++i)
      BOOST_TEST(held[i].owns_lock());
  });
}

// A lock that is never idle must not keep the budget to itself.
BOOST_AUTO_TEST_CASE(busy_lock_shares_an_exhausted_budget_with_other_locks) {
  client zk(io, options);
  const std::string tail = "/" + std::string(1000, 'p');
  bool enough = false;
  const auto come_again = [&](mutex lock) -> asio::awaitable<void> {
    while (!enough) {
      hold held = co_await lock.acquire(30s);
      co_await asio::post(io, asio::use_awaitable);
    }
  };
  const auto use_others = [&]() -> asio::awaitable<void> {
    for (const auto* name : {"/b", "/c", "/b"}) {
      mutex lock(zk, path + name + tail);
      const hold held = co_await lock.acquire(10s);
      BOOST_TEST(held.owns_lock());
    }
    enough = true;
  };
  run(io, [&]() -> asio::awaitable<void> {
    std::vector<asio::awaitable<void>> all;
    for (int i = 0; i < 10; ++i)
      all.push_back(come_again({zk, path + "/a" + tail}));
    all.push_back(use_others());
    co_await together(std::move(all));
  });
}

BOOST_AUTO_TEST_CASE(no_waiter_starves_for_the_budget) {
  testing::relay door(shared_server().direct_address());
  options.servers = door.address();
  client zk(io, options);
  const std::string tail = "/" + std::string(1000, 'p');
  int turns = 0;
  const auto lock_of = [&](int i) { return mutex(zk, path + "/" + std::to_string(i) + tail); };
  // Some waiters give up, some would wait forever.
  const auto come_and_go = [&](int waiter) -> asio::awaitable<void> {
    auto lock = lock_of(waiter % 20);
    for (int i = 0; i < 10; ++i, ++turns) {
      const auto timeout = waiter % 3 == 0 ? std::chrono::milliseconds(i) : 40s;
      const auto got = co_await lock.acquire(timeout, asio::as_tuple(asio::deferred));
      co_await asio::post(io, asio::use_awaitable);
    }
  };
  const auto disturb = [&]() -> asio::awaitable<void> {
    for (const int until : {100, 200, 300, 400}) {
      const auto reached = [&] { return turns >= until; };
      co_await eventually(reached);
      if (until == 300)
        shared_server().expire(zk.session_id());
      else
        door.cut();
    }
  };
  run(io, [&]() -> asio::awaitable<void> {
    std::vector<asio::awaitable<void>> all;
    for (int i = 0; i < 60; ++i)
      all.push_back(come_and_go(i));
    all.push_back(disturb());
    co_await together(std::move(all));
    for (int i = 0; i < 20; ++i) {
      auto lock = lock_of(i);
      hold held = co_await lock.acquire(20s);
      co_await held.release();
      BOOST_TEST(entries(witness, std::string(lock.path())) == 0u);
    }
  });
}

BOOST_AUTO_TEST_CASE(longest_path_fits_into_the_smallest_budget) {
  client zk(io, options);
  path += "/" + std::string(1999 - path.size(), 'p');
  BOOST_TEST_REQUIRE(path.size() == 2000u);
  run(io, [&]() -> asio::awaitable<void> {
    mutex lock(zk, path);
    co_await together(waiters(lock, 5));
  });
  BOOST_TEST(most_nodes == 1u);
  BOOST_TEST(order.size() == 5u);
}

BOOST_AUTO_TEST_SUITE_END()

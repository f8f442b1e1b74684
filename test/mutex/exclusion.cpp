// Mutual exclusion, in the order of arrival, among objects, clients and threads.
#include "support/pending.hpp"
#include "support/world.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <vector>

using namespace zklock;
using namespace zklock::test;

BOOST_AUTO_TEST_SUITE(exclusion, *boost::unit_test::timeout(60))

namespace {

client make_client(asio::io_context& io) {
  return client(io, options_for(shared_server().address()));
}

// The room that a lock protects: records whether two holders were ever inside at a time.
struct room {
  int inside = 0;
  int turns = 0;
  bool overlapped = false;

  asio::awaitable<void> visit() {
    ++turns;
    overlapped |= ++inside != 1;
    // Lets other coroutines run that could enter.
    const auto executor = co_await asio::this_coro::executor;
    for (int i = 0; i < 3; ++i)
      co_await asio::post(executor, asio::use_awaitable);
    overlapped |= inside != 1;
    --inside;
  }
};

asio::awaitable<void> take_turns(mutex lock, room& shared, int turns) {
  for (int i = 0; i < turns; ++i) {
    hold held = co_await lock.acquire(60s);
    BOOST_TEST(held.owns_lock());
    co_await shared.visit();
    // The lock must be free for the next waiter after either way of releasing.
    if (i % 2 == 0) co_await held.release();
  }
}

asio::awaitable<void> find_taken(mutex lock) {
  BOOST_TEST(!(co_await lock.try_acquire()));
}

} // namespace

BOOST_AUTO_TEST_CASE(one_coroutine_of_many_holds_at_a_time) {
  asio::io_context io{1};
  auto zk = make_client(io);
  mutex lock(zk, fresh_path());
  room shared;
  run(io, [&]() -> asio::awaitable<void> {
    std::vector<asio::awaitable<void>> all;
    for (int i = 0; i < 50; ++i)
      all.push_back(take_turns(lock, shared, 4));
    co_await together(std::move(all));
  });
  BOOST_TEST(shared.turns == 200);
  BOOST_TEST(!shared.overlapped);
}

BOOST_AUTO_TEST_CASE(one_client_of_several_holds_at_a_time) {
  asio::io_context io{1};
  std::vector<client> clients;
  const auto path = fresh_path();
  room shared;
  for (int i = 0; i < 4; ++i)
    clients.push_back(make_client(io));
  run(io, [&]() -> asio::awaitable<void> {
    std::vector<asio::awaitable<void>> all;
    for (int i = 0; i < 20; ++i)
      all.push_back(take_turns(mutex(clients[static_cast<std::size_t>(i) % 4], path), shared, 5));
    co_await together(std::move(all));
  });
  BOOST_TEST(shared.turns == 100);
  BOOST_TEST(!shared.overlapped);
}

BOOST_AUTO_TEST_CASE(objects_for_one_path_exclude_each_other) {
  asio::io_context io{1};
  auto zk = make_client(io);
  auto other = make_client(io);
  const auto path = fresh_path();
  run(io, [&]() -> asio::awaitable<void> {
    mutex one(zk, path);
    mutex same(zk, path);
    mutex foreign(other, path);
    hold held = co_await one.acquire(10s);
    co_await find_taken(same);
    co_await find_taken(foreign);
    co_await held.release();
    held = co_await foreign.acquire(10s);
    co_await find_taken(one);
    co_await find_taken(same);
  });
}

BOOST_AUTO_TEST_CASE(locks_of_different_paths_do_not_exclude_each_other) {
  asio::io_context io{1};
  auto zk = make_client(io);
  run(io, [&]() -> asio::awaitable<void> {
    const auto path = fresh_path();
    std::vector<hold> held;
    for (const auto* below : {"", "/below", "/below/below", "/below-and-more"}) {
      mutex lock(zk, path + below);
      held.push_back(co_await lock.acquire(10s));
    }
    for (const auto& each : held)
      BOOST_TEST(each.owns_lock());
  });
}

BOOST_AUTO_TEST_CASE(waiters_of_one_client_are_granted_in_fifo_order) {
  asio::io_context io{1};
  auto zk = make_client(io);
  mutex lock(zk, fresh_path());
  std::vector<int> order;
  run(io, [&]() -> asio::awaitable<void> {
    // Half of them wait for the connection, too.
    std::vector<asio::awaitable<void>> all;
    for (int i = 0; i < 30; ++i)
      all.push_back(join_line(lock, order, i));
    co_await together(std::move(all));
  });
  BOOST_TEST(order.size() == 30u);
  BOOST_TEST(std::is_sorted(order.begin(), order.end()));
}

BOOST_AUTO_TEST_CASE(waiters_of_several_clients_are_granted_in_fifo_order) {
  asio::io_context io{1};
  testing::raw_client witness(shared_server().direct_address());
  std::vector<client> clients;
  for (int i = 0; i < 3; ++i)
    clients.push_back(make_client(io));
  const auto path = fresh_path();
  std::vector<int> order;
  run(io, [&]() -> asio::awaitable<void> {
    mutex first(clients[0], path);
    hold held = co_await first.acquire(10s);
    std::vector<std::size_t> turns{1, 2, 0, 0, 1, 1, 2, 0, 2, 2, 1, 0};
    for (int i = 0; i < 12; ++i) {
      const auto which = turns[static_cast<std::size_t>(i)];
      asio::co_spawn(io, join_line(mutex(clients[which], path), order, i), asio::detached);
      co_await wait_for_entries(witness, path, static_cast<std::size_t>(i) + 2);
    }
    co_await held.release();
    co_await wait_for_entries(witness, path, 0);
  });
  BOOST_TEST(order.size() == 12u);
  BOOST_TEST(std::is_sorted(order.begin(), order.end()));
}

BOOST_AUTO_TEST_CASE(try_acquires_a_free_lock_only) {
  asio::io_context io{1};
  auto zk = make_client(io);
  auto other = make_client(io);
  testing::raw_client witness(shared_server().direct_address());
  const auto path = fresh_path();
  run(io, [&]() -> asio::awaitable<void> {
    mutex lock(zk, path);
    mutex foreign(other, path);
    hold held = co_await lock.try_acquire();
    BOOST_TEST(held.owns_lock());
    co_await find_taken(lock);
    co_await find_taken(foreign);
    co_await held.release();
    // A timeout of zero is a try, in any unit.
    held = co_await lock.acquire(0s);
    auto tried = co_await foreign.acquire(0ns, asio::as_tuple(asio::deferred));
    BOOST_TEST((std::get<0>(tried) == errc::busy));
    BOOST_TEST((std::get<0>(tried) == boost::system::errc::resource_unavailable_try_again));
    BOOST_TEST((std::get<1>(tried).state() == hold_state::empty));
    BOOST_TEST(entries(witness, path) == 1u);
    // So is a time point that has passed.
    tried = co_await foreign.acquire(std::chrono::system_clock::now() - 1s,
                                     asio::as_tuple(asio::deferred));
    BOOST_TEST((std::get<0>(tried) == errc::busy));
    co_await held.release();
    if (const hold free = co_await lock.try_acquire(); !free) BOOST_ERROR("a free lock is taken");
    co_await wait_for_entries(witness, path, 0);
    held = co_await foreign.try_acquire();
    BOOST_TEST(entries(witness, path) == 1u);
  });
}

BOOST_AUTO_TEST_CASE(try_does_not_overtake_waiters) {
  asio::io_context io{1};
  auto zk = make_client(io);
  auto other = make_client(io);
  testing::raw_client witness(shared_server().direct_address());
  const auto path = fresh_path();
  run(io, [&]() -> asio::awaitable<void> {
    mutex lock(zk, path);
    hold held = co_await lock.acquire(10s);
    pending<hold> next;
    mutex(other, path).acquire(next.token());
    co_await wait_for_entries(witness, path, 2);
    // For the releasing client alone the lock would look free at once. The next holder does not
    // release: nothing orders its delete behind the try, which is a request of another connection.
    held = hold();
    co_await find_taken(lock);
    BOOST_TEST(!(co_await next.wait()));
    BOOST_TEST(next.result().owns_lock());
    next.result() = hold();
    co_await wait_for_entries(witness, path, 0);
  });
}

BOOST_AUTO_TEST_CASE(mutex_is_not_reentrant) {
  asio::io_context io{1};
  auto zk = make_client(io);
  run(io, [&]() -> asio::awaitable<void> {
    mutex lock(zk, fresh_path());
    const hold held = co_await lock.acquire();
    const auto again = co_await lock.acquire(100ms, asio::as_tuple(asio::deferred));
    BOOST_TEST((std::get<0>(again) == errc::timed_out));
    BOOST_TEST((std::get<0>(again) == boost::system::errc::timed_out));
    BOOST_TEST(held.owns_lock());
  });
}

BOOST_AUTO_TEST_SUITE_END()

// Well-known examples for locks.
#include "support/world.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/post.hpp>
#include <boost/test/unit_test.hpp>

#include <chrono>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

using namespace zklock;
using namespace zklock::test;
using std::chrono::steady_clock;

namespace {

struct shop {
  asio::io_context io{1};
  testing::raw_client storage{shared_server().direct_address()};
  std::string path = fresh_path();
  std::vector<client> clients;

  void open(int count) {
    for (int i = 0; i < count; ++i)
      clients.emplace_back(io, options_for(shared_server().address()));
  }

  mutex lock_of(int index) {
    return {clients[static_cast<std::size_t>(index) % clients.size()], path + "/lock"};
  }

  // A number that all clients read and write. Only the lock keeps them from doing so at once.
  int read() { return std::stoi(storage.get(path + "/number").data); }
  void write(int number) { storage.set(path + "/number", std::to_string(number)); }

  void put(int number) {
    storage.create_all(path);
    storage.create(path + "/number", std::to_string(number));
  }

  // Time for other clients to interfere.
  asio::awaitable<void> think() {
    for (int i = 0; i < 3; ++i)
      co_await asio::post(io, asio::use_awaitable);
  }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(stories, shop, *boost::unit_test::timeout(60))

BOOST_AUTO_TEST_CASE(fifteen_buyers_get_ten_items) {
  open(15);
  put(10);
  int sold = 0;
  int sold_out = 0;
  const auto buy = [&](int index) -> asio::awaitable<void> {
    auto lock = lock_of(index);
    const hold held = co_await lock.acquire(30s);
    const int left = read();
    co_await think();
    if (left > 0) {
      write(left - 1);
      ++sold;
    } else {
      ++sold_out;
    }
  };
  run(io, [&]() -> asio::awaitable<void> {
    std::vector<asio::awaitable<void>> customers;
    for (int i = 0; i < 15; ++i)
      customers.push_back(buy(i));
    co_await together(std::move(customers));
  });
  BOOST_TEST(sold == 10);
  BOOST_TEST(sold_out == 5);
  BOOST_TEST(read() == 0);
}

BOOST_AUTO_TEST_CASE(five_workers_share_a_resource_for_one) {
  open(5);
  int inside = 0;
  int uses = 0;
  const auto work = [&](int index) -> asio::awaitable<void> {
    auto lock = lock_of(index);
    for (int i = 0; i < 50; ++i) {
      hold held = co_await lock.acquire(3s);
      if (inside != 0) throw std::logic_error("another worker is using the resource");
      ++inside;
      co_await think();
      --inside;
      ++uses;
      co_await held.release();
    }
  };
  run(io, [&]() -> asio::awaitable<void> {
    std::vector<asio::awaitable<void>> workers;
    for (int i = 0; i < 5; ++i)
      workers.push_back(work(i));
    co_await together(std::move(workers));
  });
  BOOST_TEST(uses == 250);
}

BOOST_AUTO_TEST_CASE(two_hundred_orders_get_distinct_numbers) {
  open(4);
  put(1000);
  std::vector<int> numbers;
  const auto order = [&](int index) -> asio::awaitable<void> {
    auto lock = lock_of(index);
    const hold held = co_await lock.acquire(30s);
    const int next = read() + 1;
    co_await think();
    write(next);
    numbers.push_back(next);
  };
  run(io, [&]() -> asio::awaitable<void> {
    std::vector<asio::awaitable<void>> orders;
    for (int i = 0; i < 200; ++i)
      orders.push_back(order(i));
    co_await together(std::move(orders));
  });
  const std::set<int> different(numbers.begin(), numbers.end());
  BOOST_TEST(different.size() == 200u);
  BOOST_TEST(*different.begin() == 1001);
  BOOST_TEST(*different.rbegin() == 1200);
}

BOOST_AUTO_TEST_CASE(lock_of_an_owner_that_never_releases_is_free_once_its_session_ends) {
  open(3);
  const auto give_up = [&](int index, std::chrono::milliseconds timeout) -> asio::awaitable<void> {
    auto lock = lock_of(index);
    const auto begun = steady_clock::now();
    const auto result = co_await lock.acquire(timeout, asio::as_tuple(asio::deferred));
    const auto waited = steady_clock::now() - begun;
    BOOST_TEST(std::get<0>(result) == errc::timed_out);
    BOOST_TEST((waited >= timeout));
    BOOST_TEST((waited < timeout + 5s));
  };
  run(io, [&]() -> asio::awaitable<void> {
    auto lock = lock_of(0);
    const hold never_released = co_await lock.acquire(10s);
    std::vector<asio::awaitable<void>> others;
    for (int i = 0; i < 6; ++i)
      others.push_back(give_up(i, 200ms + i * 50ms));
    co_await together(std::move(others));
    co_await wait_for_entries(storage, path + "/lock", 1);
    BOOST_TEST(never_released.owns_lock());
    // The lock is free once the owner's session has ended.
    auto next = lock_of(1);
    clients[0] = std::move(clients[2]);
    clients.pop_back();
    const hold held = co_await next.acquire(10s);
    BOOST_TEST(held.owns_lock());
    BOOST_TEST((never_released.state() == hold_state::lost));
  });
}

BOOST_AUTO_TEST_CASE(one_client_of_many_does_the_nightly_job) {
  open(6);
  int done = 0;
  int left_alone = 0;
  const auto start = [&](int index) -> asio::awaitable<void> {
    auto lock = lock_of(index);
    auto held = co_await lock.try_acquire();
    if (!held) {
      ++left_alone;
      co_return;
    }
    // The job lasts until all further clients have tried.
    const auto looked = [&] { return left_alone == 5; };
    co_await eventually(looked);
    ++done;
  };
  run(io, [&]() -> asio::awaitable<void> {
    std::vector<asio::awaitable<void>> all;
    for (int i = 0; i < 6; ++i)
      all.push_back(start(i));
    co_await together(std::move(all));
  });
  BOOST_TEST(done == 1);
}

BOOST_AUTO_TEST_CASE(storage_that_refuses_lower_tokens_ignores_a_late_owner) {
  open(2);
  run(io, [&]() -> asio::awaitable<void> {
    fencing_token highest;
    const auto write_with = [&](const hold& held) {
      if (held.token() < highest) return false;
      highest = held.token();
      return true;
    };
    auto first = lock_of(0);
    auto second = lock_of(1);
    const hold slow = co_await first.acquire(10s);
    BOOST_TEST(write_with(slow));
    BOOST_TEST(shared_server().expire(clients[0].session_id()));
    const hold next = co_await second.acquire(10s);
    BOOST_TEST(write_with(next));
    BOOST_TEST(!write_with(slow));
  });
}

BOOST_AUTO_TEST_SUITE_END()

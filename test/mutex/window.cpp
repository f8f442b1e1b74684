// The entries of a lock with many waiters.
#include "queued_waiters.hpp"

#include <boost/asio/detached.hpp>
#include <boost/test/unit_test.hpp>

using namespace zklock;
using namespace zklock::test;

BOOST_FIXTURE_TEST_SUITE(many_waiters, queued_waiters, *boost::unit_test::timeout(60))

BOOST_AUTO_TEST_CASE(entries_in_zookeeper_stay_within_the_window) {
  for (const std::size_t window : {1u, 4u}) {
    options.max_entries_per_lock = window;
    client zk(io, options);
    path = fresh_path();
    order.clear();
    most_nodes = 0;
    run(io, [&]() -> asio::awaitable<void> {
      mutex lock(zk, path);
      hold held = co_await lock.acquire(10s);
      std::vector<asio::awaitable<void>> all = waiters(lock, 40);
      for (auto& each : all)
        asio::co_spawn(io, std::move(each), asio::detached);
      co_await wait_for_entries(witness, path, window + 1);
      // Entries that hand-overs do not need can be gone before the first waiter counts.
      most_nodes = entries(witness, path);
      co_await held.release();
      const auto done = [&] { return order.size() == 40; };
      co_await eventually(done);
      co_await wait_for_entries(witness, path, 0);
    });
    // A single entry holds, and as many entries wait as the window allows.
    BOOST_TEST(most_nodes == window + 1);
    BOOST_TEST(std::is_sorted(order.begin(), order.end()));
  }
}

BOOST_AUTO_TEST_CASE(client_with_a_window_takes_turns_with_another) {
  options.max_entries_per_lock = 2;
  client zk(io, options);
  client other(io, options);
  const auto line = [&](client& user, int first) -> asio::awaitable<void> {
    mutex lock(user, path);
    std::vector<asio::awaitable<void>> all;
    for (int i = first; i < first + 20; ++i)
      all.push_back(join_line(lock, i));
    co_await together(std::move(all));
  };
  run(io, [&]() -> asio::awaitable<void> {
    std::vector<asio::awaitable<void>> both;
    both.push_back(line(zk, 0));
    both.push_back(line(other, 100));
    co_await together(std::move(both));
  });
  BOOST_TEST(most_nodes <= 5u);
  BOOST_TEST(order.size() == 40u);
  std::vector<int> own;
  std::vector<int> foreign;
  for (const int waiter : order)
    (waiter < 100 ? own : foreign).push_back(waiter);
  BOOST_TEST(std::is_sorted(own.begin(), own.end()));
  BOOST_TEST(std::is_sorted(foreign.begin(), foreign.end()));
}

BOOST_AUTO_TEST_SUITE_END()

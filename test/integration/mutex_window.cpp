// How little of a crowd is in ZooKeeper: a window for each lock, and a budget for all.
#include <zklock/testing/relay.hpp>

#include "support/world.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/post.hpp>
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <string>
#include <vector>

using namespace zklock;
using namespace zklock::test;

namespace {

struct crowd {
  asio::io_context io{1};
  testing::raw_client witness{shared_server().direct_address()};
  client_options options = options_for(shared_server().address());
  std::string path = fresh_path();
  std::vector<int> order;
  std::size_t most_nodes = 0;

  // Looks at the queue while it holds the lock.
  asio::awaitable<void> stand_in_line(mutex lock, int who) {
    hold held = co_await lock.acquire(60s);
    order.push_back(who);
    for (int i = 0; i < 2; ++i) {
      most_nodes = std::max(most_nodes, entries(witness, std::string(lock.path())));
      co_await asio::post(io, asio::use_awaitable);
    }
    // Some look again while the next one holds already.
    if (who % 3 == 0) co_await held.release();
  }

  std::vector<asio::awaitable<void>> waiters(const mutex& lock, int count) {
    std::vector<asio::awaitable<void>> all;
    for (int i = 0; i < count; ++i)
      all.push_back(stand_in_line(lock, i));
    return all;
  }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(many_waiters, crowd, *boost::unit_test::timeout(60))

BOOST_AUTO_TEST_CASE(no_more_than_the_window_wait_on_the_servers) {
  for (const std::size_t window : {1u, 4u}) {
    options.window = window;
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
      co_await held.release();
      const auto done = [&] { return order.size() == 40; };
      co_await eventually(done);
      co_await wait_for_entries(witness, path, 0);
    });
    // One holds, and the window waits.
    BOOST_TEST(most_nodes == window + 1);
    BOOST_TEST(std::is_sorted(order.begin(), order.end()));
  }
}

BOOST_AUTO_TEST_CASE(a_client_with_a_window_takes_turns_with_others) {
  options.window = 2;
  client zk(io, options);
  client other(io, options);
  const auto line = [&](client& whose, int first) -> asio::awaitable<void> {
    mutex lock(whose, path);
    std::vector<asio::awaitable<void>> all;
    for (int i = first; i < first + 20; ++i)
      all.push_back(stand_in_line(lock, i));
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
  for (const int who : order)
    (who < 100 ? own : foreign).push_back(who);
  BOOST_TEST(std::is_sorted(own.begin(), own.end()));
  BOOST_TEST(std::is_sorted(foreign.begin(), foreign.end()));
}

BOOST_AUTO_TEST_CASE(where_the_budget_is_used_up_waiters_of_one_lock_wait) {
  options.owned_bytes = 4096;
  client zk(io, options);
  // Three of them are all that it is enough for.
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

BOOST_AUTO_TEST_CASE(where_the_budget_is_used_up_other_locks_wait) {
  options.owned_bytes = 4096;
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
    BOOST_TEST((std::get<0>(refused) == errc::no_room));
    refused = co_await fourth.acquire(100ms, asio::as_tuple(asio::deferred));
    BOOST_TEST((std::get<0>(refused) == errc::timed_out));
    BOOST_TEST(entries(witness, std::string(fourth.path())) == 0u);

    asio::co_spawn(io, stand_in_line(fourth, 4), asio::detached);
    mutex fifth(zk, path + "/e" + tail);
    asio::co_spawn(io, stand_in_line(fifth, 5), asio::detached);
    // It is this client's budget only.
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
BOOST_AUTO_TEST_CASE(where_the_budget_is_used_up_a_busy_lock_lets_others_have_a_turn) {
  options.owned_bytes = 4096;
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

BOOST_AUTO_TEST_CASE(nobody_waits_for_the_budget_for_ever) {
  testing::relay door(shared_server().direct_address());
  options.owned_bytes = 4096;
  options.servers = door.address();
  client zk(io, options);
  const std::string tail = "/" + std::string(1000, 'p');
  int turns = 0;
  const auto lock_of = [&](int i) { return mutex(zk, path + "/" + std::to_string(i) + tail); };
  // Some give up, some would wait for ever.
  const auto come_and_go = [&](int who) -> asio::awaitable<void> {
    auto lock = lock_of(who % 20);
    for (int i = 0; i < 10; ++i, ++turns) {
      const auto timeout = who % 3 == 0 ? std::chrono::milliseconds(i) : 40s;
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

BOOST_AUTO_TEST_CASE(the_longest_path_fits_into_the_smallest_budget) {
  options.owned_bytes = 4096;
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

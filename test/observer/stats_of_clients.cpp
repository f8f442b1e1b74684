// client::stats: labels, losses, the connection, and reading from another thread.
#include "observer/measured.hpp"
#include "support/background.hpp"

#include <boost/asio/use_future.hpp>
#include <boost/test/unit_test.hpp>

#include <atomic>
#include <thread>

using namespace zklock;
using namespace zklock::test;

BOOST_FIXTURE_TEST_SUITE(stats_of_clients, measured_scene, *boost::unit_test::timeout(120))

BOOST_AUTO_TEST_CASE(lock_is_labelled_once_while_it_is_in_use) {
  run(io, [&]() -> asio::awaitable<void> {
    const auto stock = path + "/stock";
    for (int i = 0; i < 3; ++i) {
      hold held = co_await mutex(zk, stock).acquire(10s);
      BOOST_TEST(!(co_await mutex(zk, stock).try_acquire()));
      co_await held.release();
    }
    const hold rates = co_await semaphore(zk, path + "/rates", 2).acquire(10s);
    const hold more = co_await shared_mutex(zk, path + "/b/stock").acquire_shared(10s);
    const std::vector<std::string> asked{stock, path + "/rates", path + "/b/stock"};
    BOOST_TEST(labelled == asked, boost::test_tools::per_element());
    const auto all = zk.stats();
    BOOST_TEST(all.by_label.size() == 2u);
    expect(all.total, {.acquired = 5, .busy = 3, .released = 3, .holds = 2});
    expect(all.by_label.at("stock"), {.acquired = 4, .busy = 3, .released = 3, .holds = 1});
    expect(all.by_label.at("rates"), {.acquired = 1, .holds = 1});
  });
}

BOOST_AUTO_TEST_CASE(lock_without_a_label_counts_in_the_total_only) {
  auto options = options_for(door.address(), 30s);
  options.label = [](std::string_view) { return std::string(); };
  client silent(io, options);
  run(io, [&]() -> asio::awaitable<void> {
    const hold held = co_await mutex(silent, path).acquire(10s);
    const hold foreign = co_await mutex(other, path + "-other").acquire(10s);
    expect(silent.stats(), {.acquired = 1, .holds = 1});
    BOOST_TEST(silent.stats().by_label.empty());
    expect(other.stats(), {.acquired = 1, .holds = 1});
    BOOST_TEST(other.stats().by_label.empty());
  });
}

BOOST_AUTO_TEST_CASE(label_that_throws_leaves_run_and_the_lock_without_a_label) {
  auto options = options_for(door.address(), 30s);
  options.label = [](std::string_view) -> std::string { throw std::runtime_error("of the test"); };
  client failing(io, options);
  hold held;
  mutex(failing, path).acquire(10s, [&](error_code, hold got) { held = std::move(got); });
  int thrown = 0;
  const auto deadline = std::chrono::steady_clock::now() + 30s;
  while (!held.owns_lock() && std::chrono::steady_clock::now() < deadline)
    try {
      io.run_one_for(50ms);
    } catch (const std::runtime_error& error) {
      BOOST_TEST(error.what() == "of the test");
      ++thrown;
    }
  BOOST_TEST(thrown == 1);
  expect(failing.stats(), {.acquired = 1, .holds = 1});
  BOOST_TEST(failing.stats().by_label.empty());
}

BOOST_AUTO_TEST_CASE(each_reason_of_a_loss_has_a_counter) {
  run(io, [&]() -> asio::awaitable<void> {
    mutex lock(zk, path);
    const hold broken = co_await lock.acquire(10s);
    BOOST_TEST((co_await lock.break_lock() == 1u));
    expect(zk.stats(), {.acquired = 1, .lost = {.entry_deleted = 1}});
    BOOST_TEST(zk.stats().broken == 1u);
    const hold limited = co_await lock.acquire({.hold_limit = 10ms});
    const auto over = [&] { return limited.state() == hold_state::lost; };
    co_await eventually(over);
    expect(zk.stats(), {.acquired = 2, .lost = {.entry_deleted = 1, .hold_limit_reached = 1}});
    const hold expired = co_await lock.acquire(10s);
    shared_server().expire(zk.session_id());
    const auto gone = [&] { return expired.state() == hold_state::lost; };
    co_await eventually(gone);
    expect(zk.stats(),
           {.acquired = 3,
            .lost = {.session_expired = 1, .entry_deleted = 1, .hold_limit_reached = 1}});
    const hold last = co_await lock.acquire(10s);
    pending<hold> waits;
    lock.acquire(60s, waits.token());
    const auto waiting = [&] { return zk.stats().total.waiters == 1; };
    co_await eventually(waiting);
    co_await zk.close();
    expect(
        zk.stats(),
        {.acquired = 4,
         .failed = 1,
         .lost = {.session_expired = 1, .entry_deleted = 1, .hold_limit_reached = 1, .closed = 1}});
  });
}

BOOST_AUTO_TEST_CASE(requests_are_those_that_the_servers_get) {
  run(io, [&]() -> asio::awaitable<void> {
    const auto connected = [&] { return zk.connected(); };
    co_await eventually(connected);
    for (const int turns : {1, 5}) {
      const auto before = zk.stats().requests;
      const auto forwarded = door.total_requests();
      mutex lock(zk, path);
      for (int i = 0; i < turns; ++i) {
        hold held = co_await lock.acquire(10s);
        const auto all = co_await lock.participants();
        BOOST_TEST(all.size() == 1u);
        co_await held.release();
      }
      const auto same = [&] {
        return zk.stats().requests - before == door.total_requests() - forwarded;
      };
      co_await eventually(same);
      BOOST_TEST(zk.stats().requests > before);
    }
  });
}

BOOST_AUTO_TEST_CASE(margin_is_that_of_a_hold) {
  run(io, [&]() -> asio::awaitable<void> {
    const hold held = co_await mutex(zk, path).acquire(10s);
    const auto most = held.valid_until() - boot_clock::now();
    const auto margin = zk.stats().margin;
    const auto least = held.valid_until() - boot_clock::now();
    BOOST_TEST((margin <= most && margin >= least && margin > 0s));
    co_await zk.close();
    BOOST_TEST((zk.stats().margin == 0s));
  });
}

BOOST_AUTO_TEST_CASE(snapshots_of_another_thread_rise_and_are_consistent) {
  background context(2);
  auto options = options_for(shared_server().address(), 30s);
  options.label = [](std::string_view asked) {
    return std::string(asked.substr(asked.size() - 1));
  };
  client counted(context.io, options);
  std::atomic<bool> done{false};
  std::thread reader([&] {
    stats last;
    while (!done) {
      const auto now = counted.stats();
      std::uint64_t of_labels = 0;
      for (const auto& [label, each] : now.by_label)
        of_labels += each.acquired;
      const bool rises =
          now.total.acquired == of_labels && now.total.acquired >= last.total.acquired &&
          now.total.released >= last.total.released &&
          now.total.waited.sum >= last.total.waited.sum &&
          now.by_label.size() >= last.by_label.size() && now.requests >= last.requests;
      if (!rises) return;
      last = now;
    }
    done = false;
  });
  for (int i = 0; i < 200; ++i) {
    mutex lock(counted, path + std::to_string(i));
    hold held = get(lock.acquire(10s, asio::use_future));
    get(held.release(asio::use_future));
  }
  done = true;
  reader.join();
  // The reader resets it unless a number has fallen or differs from the sum of its labels.
  BOOST_TEST(!done);
  const auto all = counted.stats();
  expect(all, {.acquired = 200, .released = 200});
  BOOST_TEST(all.by_label.size() == 10u);
  for (const auto& [label, each] : all.by_label)
    expect(each, {.acquired = 20, .released = 20});
  get(counted.close(asio::use_future));
}

BOOST_AUTO_TEST_SUITE_END()

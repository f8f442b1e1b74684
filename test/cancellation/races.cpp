// A grant races with a timeout or a cancellation: either happens, never both.
#include "support/pending.hpp"
#include "support/scene.hpp"
#include "testing/relay_hooks.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/error.hpp>
#include <boost/test/unit_test.hpp>

#include <string>
#include <utility>
#include <vector>

using namespace zklock;
using namespace zklock::test;

namespace {

/// A waiter that a test may cancel.
struct waiter : pending<hold> {
  asio::cancellation_signal signal;

  void acquire(mutex& lock, std::chrono::nanoseconds timeout) {
    lock.acquire(timeout, asio::bind_cancellation_slot(signal.slot(), token()));
  }
};

struct race : two_clients {
  int granted = 0;
  int given_up = 0;

  // The holder releases at about the time of the waiter's timeout.
  asio::awaitable<void> meet(client& holders, std::string where, std::chrono::microseconds early) {
    mutex lock(zk, where);
    mutex first(holders, where);
    hold held = co_await first.acquire(30s);
    waiter second;
    asio::steady_timer timer(io, 50ms - early);
    second.acquire(lock, 50ms);
    co_await timer.async_wait(asio::use_awaitable);
    held = hold();
    co_await second.wait();
    if (second.error().failed()) {
      ++given_up;
      // On a busy machine its entry may not be confirmed yet.
      BOOST_TEST((second.error() == boost::system::errc::timed_out));
    } else {
      ++granted;
      BOOST_TEST(second.result().owns_lock());
    }
    second.result() = hold();
    co_await wait_for_entries(witness, where, 0);
    held = co_await lock.acquire(30s);
  }

  asio::awaitable<void> meet_often(client& holders) {
    std::vector<asio::awaitable<void>> all;
    for (int i = 0; i < 100; ++i)
      all.push_back(meet(holders, path + "/" + std::to_string(i), i * 100us - 2ms));
    co_await together(std::move(all));
    BOOST_TEST(granted + given_up == 100);
    BOOST_TEST_MESSAGE(granted << " granted, " << given_up << " given up");
  }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(races, race, *boost::unit_test::timeout(60))

BOOST_AUTO_TEST_CASE(local_release_races_with_a_timeout) {
  run(io, [&] { return meet_often(zk); });
}

BOOST_AUTO_TEST_CASE(foreign_release_races_with_a_timeout) {
  run(io, [&] { return meet_often(other); });
}

BOOST_AUTO_TEST_CASE(waiter_cancelled_right_before_the_release_is_not_granted) {
  run(io, [&]() -> asio::awaitable<void> {
    mutex lock(zk, path);
    hold held = co_await lock.acquire(10s);
    waiter second;
    second.acquire(lock, 30s);
    co_await wait_for_entries(witness, path, 2);
    second.signal.emit(asio::cancellation_type::terminal);
    held = hold();
    co_await second.wait();
    BOOST_TEST(second.error() == asio::error::operation_aborted);
    co_await wait_for_entries(witness, path, 0);
  });
}

BOOST_AUTO_TEST_CASE(waiter_cancelled_right_after_the_release_is_granted) {
  run(io, [&]() -> asio::awaitable<void> {
    mutex lock(zk, path);
    hold held = co_await lock.acquire(10s);
    waiter second;
    second.acquire(lock, 30s);
    co_await wait_for_entries(witness, path, 2);
    // Replies come in order: with this grant the client knows of the second entry, too.
    mutex unrelated(zk, fresh_path());
    const hold passing = co_await unrelated.acquire(10s);
    held = hold();
    // A granted acquire cannot be cancelled, even before its handler runs.
    BOOST_TEST(!second.done());
    second.signal.emit(asio::cancellation_type::terminal);
    co_await second.wait();
    BOOST_TEST(!second.error());
    BOOST_TEST(second.result().owns_lock());
    second.result() = hold();
    co_await wait_for_entries(witness, path, 0);
  });
}

BOOST_AUTO_TEST_CASE(waiter_cancelled_before_the_event_of_the_release_is_not_granted) {
  client waiting(io, options_for(door.address()));
  run(io, [&]() -> asio::awaitable<void> {
    mutex lock(waiting, path);
    mutex first(other, path);
    for (int i = 0; i < 2; ++i) {
      hold held = co_await first.acquire(10s);
      waiter second;
      second.acquire(lock, 30s);
      const auto node = held.node();
      const auto watched = [&node] { return is_watched(node); };
      co_await eventually(watched);
      const auto news = testing::relay_hooks(door).when(
          testing::direction::to_client,
          [&](const testing::frame& each) {
            return each.kind == testing::operation::notification &&
                   each.bytes.find(node) != std::string_view::npos;
          },
          testing::reaction::silence_before);
      co_await held.release();
      const auto held_back = [&] { return news.fired(); };
      co_await eventually(held_back);
      BOOST_TEST(!second.done());
      second.signal.emit(asio::cancellation_type::terminal);
      co_await second.wait();
      BOOST_TEST(second.error() == asio::error::operation_aborted);
      door.heal();
      co_await wait_for_entries(witness, path, 0);
    }
    const hold held = co_await lock.acquire(10s);
    BOOST_TEST(held.owns_lock());
  });
}

BOOST_AUTO_TEST_CASE(waiters_behind_a_cancelled_one_are_granted) {
  run(io, [&]() -> asio::awaitable<void> {
    mutex lock(zk, path);
    mutex foreign(other, path);
    hold held = co_await lock.acquire(10s);
    // Own and foreign waiters alternate; every second waiter gives up.
    std::vector<waiter> all(12);
    for (std::size_t i = 0; i < all.size(); ++i) {
      all[i].acquire(i % 3 == 0 ? foreign : lock, 30s);
      co_await wait_for_entries(witness, path, i + 2);
    }
    for (std::size_t i = 0; i < all.size(); i += 2)
      all[i].signal.emit(asio::cancellation_type::terminal);
    held = hold();
    for (std::size_t i = 0; i < all.size(); ++i) {
      co_await all[i].wait();
      BOOST_TEST(all[i].error().failed() == (i % 2 == 0));
      all[i].result() = hold();
    }
    co_await wait_for_entries(witness, path, 0);
  });
}

BOOST_AUTO_TEST_SUITE_END()

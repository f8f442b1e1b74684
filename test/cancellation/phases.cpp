// Timeouts and cancellation in each phase of an acquire. Nothing may be left behind.
#include "phase_scene.hpp"
#include "support/pending.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/error.hpp>
#include <boost/test/unit_test.hpp>

#include <algorithm>

using namespace zklock;
using namespace zklock::test;

namespace {

template <class Test>
void in_each_phase(Test test, std::size_t count = all_phases.size()) {
  for (std::size_t i = 0; i < count; ++i)
    BOOST_TEST_CONTEXT("the phase \"" << phase_names[i] << '"') {
      asio::io_context io{1};
      phase_scene world(io, all_phases[i]);
      run(io, [&] { return test(world); });
    }
}

asio::awaitable<void> cancel(phase_scene& world, asio::cancellation_type type) {
  mutex lock(*world.zk, world.path);
  pending<hold> waiting;
  asio::cancellation_signal signal;
  co_await world.prepare();
  lock.acquire(asio::bind_cancellation_slot(signal.slot(), waiting.token()));
  co_await world.reach();
  signal.emit(type);
  const auto error = co_await waiting.wait();
  BOOST_TEST(error == asio::error::operation_aborted);
  world.heal();
  co_await world.expect_nothing_left();
  world.let_go();
  co_await world.expect_usable();
}

} // namespace

BOOST_AUTO_TEST_SUITE(giving_up, *boost::unit_test::timeout(60))

BOOST_AUTO_TEST_CASE(timed_out_acquire_leaves_nothing_in_each_phase) {
  in_each_phase([](phase_scene& world) -> asio::awaitable<void> {
    mutex lock(*world.zk, world.path);
    pending<hold> waiting;
    co_await world.prepare();
    const auto begun = std::chrono::steady_clock::now();
    lock.acquire(500ms, waiting.token());
    co_await world.reach();
    const auto error = co_await waiting.wait();
    BOOST_TEST((std::chrono::steady_clock::now() - begun >= 500ms));
    BOOST_TEST((error == (world.is_in_line() ? errc::timed_out : errc::not_connected)));
    BOOST_TEST((error == boost::system::errc::timed_out));
    world.heal();
    co_await world.expect_nothing_left();
    world.let_go();
    co_await world.expect_usable();
  });
}

BOOST_AUTO_TEST_CASE(unanswered_try_ends_by_its_own_time_limit) {
  const auto test = [](phase_scene& world) -> asio::awaitable<void> {
    mutex lock(*world.zk, world.path);
    pending<hold> waiting;
    co_await world.prepare();
    lock.try_acquire(waiting.token());
    co_await world.reach();
    const auto error = co_await waiting.wait();
    BOOST_TEST(error == errc::not_connected);
    world.heal();
    co_await world.expect_nothing_left();
    world.let_go();
    co_await world.expect_usable();
  };
  // Behind other entries the try is answered at once.
  in_each_phase(test, all_phases.size() - 2);
}

BOOST_AUTO_TEST_CASE(terminal_cancellation_leaves_nothing_in_each_phase) {
  in_each_phase(
      [](phase_scene& world) { return cancel(world, asio::cancellation_type::terminal); });
}

BOOST_AUTO_TEST_CASE(partial_cancellation_leaves_nothing_in_each_phase) {
  in_each_phase([](phase_scene& world) { return cancel(world, asio::cancellation_type::partial); });
}

BOOST_AUTO_TEST_CASE(total_cancellation_leaves_nothing_in_each_phase) {
  in_each_phase([](phase_scene& world) { return cancel(world, asio::cancellation_type::total); });
}

BOOST_AUTO_TEST_CASE(cancellation_without_an_operation_changes_nothing) {
  asio::io_context io{1};
  phase_scene world(io, phase::behind_own);
  run(io, [&]() -> asio::awaitable<void> {
    mutex lock(*world.zk, world.path);
    pending<hold> waiting;
    asio::cancellation_signal signal;
    co_await world.prepare();
    lock.acquire(asio::bind_cancellation_slot(signal.slot(), waiting.token()));
    co_await world.reach();
    signal.emit(asio::cancellation_type::none);
    world.let_go();
    const auto error = co_await waiting.wait();
    BOOST_TEST(!error);
    BOOST_TEST(waiting.result().owns_lock());
    // The operation has completed: the signal has no effect.
    signal.emit(asio::cancellation_type::terminal);
    BOOST_TEST(waiting.result().owns_lock());
  });
}

BOOST_AUTO_TEST_CASE(acquire_cancelled_at_once_leaves_nothing) {
  asio::io_context io{1};
  phase_scene world(io, phase::behind_own);
  run(io, [&]() -> asio::awaitable<void> {
    mutex lock(*world.zk, world.path);
    co_await world.prepare();
    std::array<pending<hold>, 3> results;
    std::array<asio::cancellation_signal, 3> signals;
    lock.acquire(asio::bind_cancellation_slot(signals[0].slot(), results[0].token()));
    lock.acquire(30s, asio::bind_cancellation_slot(signals[1].slot(), results[1].token()));
    lock.try_acquire(asio::bind_cancellation_slot(signals[2].slot(), results[2].token()));
    for (auto& each : signals)
      each.emit(asio::cancellation_type::terminal);
    for (auto& each : results) {
      const auto error = co_await each.wait();
      // The try found the lock taken before it could be cancelled.
      BOOST_TEST((error == asio::error::operation_aborted || (&each == &results[2] && !error)));
      BOOST_TEST((each.result().state() == hold_state::empty));
    }
    co_await world.expect_nothing_left();
    world.let_go();
    co_await world.expect_usable();
  });
}

BOOST_AUTO_TEST_CASE(waiters_beyond_the_window_are_cancelled) {
  asio::io_context io{1};
  testing::raw_client witness(shared_server().direct_address());
  auto options = options_for(shared_server().address());
  options.max_entries_per_lock = 2;
  client zk(io, options);
  mutex lock(zk, fresh_path());
  const std::string path(lock.path());
  run(io, [&]() -> asio::awaitable<void> {
    hold held = co_await lock.acquire(10s);
    std::array<pending<hold>, 8> results;
    std::array<asio::cancellation_signal, 8> signals;
    for (std::size_t i = 0; i < results.size(); ++i)
      lock.acquire(asio::bind_cancellation_slot(signals[i].slot(), results[i].token()));
    co_await wait_for_entries(witness, path, 3);
    const auto creates = shared_server().requests(testing::operation::create2);
    // A waiter without an entry needs no server to be cancelled.
    for (std::size_t i = 3; i < results.size(); ++i)
      signals[i].emit(asio::cancellation_type::terminal);
    for (std::size_t i = 3; i < results.size(); ++i)
      BOOST_TEST(!!(co_await results[i].wait()));
    BOOST_TEST(shared_server().requests(testing::operation::create2) == creates);
    // A waiter with an entry makes room for the next.
    const auto before = witness.children(path);
    signals[0].emit(asio::cancellation_type::terminal);
    BOOST_TEST(!!(co_await results[0].wait()));
    const auto made = [&] {
      const auto now = witness.children(path);
      return now.size() == 3 && std::any_of(now.begin(), now.end(), [&](const auto& each) {
               return std::find(before.begin(), before.end(), each) == before.end();
             });
    };
    co_await eventually(made);
    held = hold();
    BOOST_TEST(!(co_await results[1].wait()));
    results[1].result() = hold();
    BOOST_TEST(!(co_await results[2].wait()));
    results[2].result() = hold();
    co_await wait_for_entries(witness, path, 0);
  });
}

BOOST_AUTO_TEST_SUITE_END()

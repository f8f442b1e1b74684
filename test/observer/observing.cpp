// client_options::observer: each wait and each hold is reported once, from its start to its end.
#include "observer/observing.hpp"

#include "support/background.hpp"

#include <boost/asio/use_future.hpp>
#include <boost/test/unit_test.hpp>

#include <optional>

using namespace zklock;
using namespace zklock::test;

BOOST_FIXTURE_TEST_SUITE(observing, observed_scene, *boost::unit_test::timeout(120))

BOOST_AUTO_TEST_CASE(hold_is_reported_with_its_lock_and_token) {
  run(io, [&]() -> asio::awaitable<void> {
    co_await connected();
    semaphore lock(zk, path, 3);
    auto acquiring = lock.acquire(2, 10s);
    expect({}, 0);
    hold held = co_await std::move(acquiring);
    expect({"1 started", "1 granted"}, 1);
    BOOST_TEST(seen->last_path == path);
    BOOST_TEST((seen->last.type == lock_type::semaphore));
    BOOST_TEST((seen->last.role == participant_role::permit));
    BOOST_TEST(seen->last.permits == 2u);
    BOOST_TEST((seen->last.timeout == 10s));
    BOOST_TEST((seen->last_token == held.token()));
    co_await held.release();
    expect({"1 released"});
    shared_mutex readers(zk, path + "-shared");
    const hold reading = co_await readers.acquire_shared();
    expect({"2 started", "2 granted"}, 1);
    BOOST_TEST((seen->last.role == participant_role::shared));
  });
  // The hold was destroyed with the coroutine.
  run_until(io, [&] { return seen->kept() == 0; });
  expect({"2 released"});
}

BOOST_AUTO_TEST_CASE(each_end_without_the_lock_is_reported_once) {
  run(io, [&]() -> asio::awaitable<void> {
    co_await connected();
    mutex taken(other, path);
    mutex lock(zk, path);
    const hold foreign = co_await taken.acquire(10s);
    static_cast<void>(co_await lock.try_acquire(as_result));
    expect({"1 started", "1 not granted: " + text(errc::busy)});
    static_cast<void>(co_await lock.acquire(50ms, as_result));
    expect({"2 started", "2 not granted: " + text(errc::timed_out)});
    asio::cancellation_signal stop;
    pending<hold> endless;
    lock.acquire(asio::bind_cancellation_slot(stop.slot(), endless.token()));
    co_await waiting(1);
    stop.emit(asio::cancellation_type::total);
    const auto aborted = error_code(std::get<0>(co_await endless.get()));
    expect({"3 started", "3 not granted: " + aborted.message()});
    static_cast<void>(co_await lock.acquire(-1s, as_result));
    expect({"4 started", "4 not granted: " + text(errc::bad_timeout)});
  });
}

BOOST_AUTO_TEST_CASE(lost_hold_is_not_reported_as_released) {
  run(io, [&]() -> asio::awaitable<void> {
    co_await connected();
    mutex lock(zk, path);
    hold held = co_await lock.acquire(10s);
    pending<error_code> loss;
    held.wait_lost(loss.token());
    co_await lock.break_lock();
    co_await loss.get();
    co_await held.release();
    expect({"1 started", "1 granted", "1 lost: " + text(errc::entry_deleted)});
  });
}

BOOST_AUTO_TEST_CASE(owner_that_acquires_again_has_one_hold) {
  run(io, [&]() -> asio::awaitable<void> {
    co_await connected();
    mutex lock(zk, path);
    const owner me;
    hold first = co_await lock.acquire({.owner = me});
    hold second = co_await lock.acquire({.owner = me});
    expect({"1 started", "1 granted", "2 started", "2 reentered"}, 1);
    co_await first.release();
    expect({}, 1);
    co_await second.release();
    expect({"1 released"});
  });
}

BOOST_AUTO_TEST_CASE(handed_over_entry_is_a_hold_of_its_own) {
  auto options = observing(door.address(), seen);
  options.local_handoffs = 8;
  client passing(io, options);
  run(io, [&]() -> asio::awaitable<void> {
    co_await reported(2);
    expect({"connected", "connected"});
    mutex lock(passing, path);
    hold held = co_await lock.acquire(10s);
    pending<hold> next;
    lock.acquire(60s, next.token());
    const auto waits = [&] { return passing.stats().total.waiters == 1; };
    co_await eventually(waits);
    held = hold();
    auto [error, second] = co_await next.get();
    BOOST_TEST(passing.stats().total.handed_over == 1u);
    co_await second.release();
    expect({"1 started", "1 granted", "2 started", "1 released", "2 granted", "2 released"});
  });
}

BOOST_AUTO_TEST_CASE(multi_lock_reports_all_of_its_locks_from_its_call_on) {
  run(io, [&]() -> asio::awaitable<void> {
    co_await connected();
    mutex taken(other, path + "/b");
    hold foreign = co_await taken.acquire(10s);
    multi_lock all(mutex(zk, path + "/a"), mutex(zk, path + "/b"), mutex(zk, path + "/c"));
    const auto [error, none] = co_await all.acquire(100ms, as_result);
    BOOST_TEST((error == errc::timed_out));
    const auto settled = [&] { return seen->kept() == 0; };
    co_await eventually(settled);
    auto ended = seen->taken();
    std::sort(ended.begin(), ended.end());
    const auto late = "not granted: " + text(errc::timed_out);
    BOOST_TEST((ended == lines{"1 granted", "1 released", "1 started", "2 " + late, "2 started",
                               "3 " + late, "3 started"}));
    co_await foreign.release();
    auto held = co_await all.acquire(10s);
    expect({"4 started", "5 started", "6 started", "4 granted", "5 granted", "6 granted"}, 3);
    co_await held.release();
    BOOST_TEST(seen->taken().size() == 3u);
    BOOST_TEST(seen->kept() == 0);
  });
}

BOOST_AUTO_TEST_CASE(acquire_any_reports_all_of_its_locks) {
  run(io, [&]() -> asio::awaitable<void> {
    co_await connected();
    mutex taken(other, path + "/a");
    const hold foreign = co_await taken.acquire(10s);
    std::vector<any_lock> locks{mutex(zk, path + "/a"), mutex(zk, path + "/b")};
    auto [which, held] = co_await acquire_any(locks, 10s);
    const auto settled = [&] { return seen->kept() == 1; };
    co_await eventually(settled);
    co_await held.release();
    const auto aborted = make_error_code(asio::error::operation_aborted).message();
    expect({"1 started", "2 started", "2 granted", "1 not granted: " + aborted, "2 released"});
  });
}

BOOST_AUTO_TEST_CASE(closed_client_ends_all_spans) {
  run(io, [&]() -> asio::awaitable<void> {
    co_await connected();
    mutex lock(zk, path);
    hold held = co_await lock.acquire(10s);
    pending<hold> waits;
    lock.acquire(60s, waits.token());
    co_await waiting(1);
    co_await zk.close();
    co_await waits.get();
    held = hold();
    // The client has let go of its observer.
    static_cast<void>(co_await lock.acquire(1s, as_result));
    auto ended = seen->taken();
    std::sort(ended.begin(), ended.end());
    const auto closed = text(errc::closed);
    BOOST_TEST((ended == lines{"1 granted", "1 lost: " + closed, "1 started",
                               "2 not granted: " + closed, "2 started", "closed"}));
    BOOST_TEST(seen->kept() == 0);
  });
}

BOOST_AUTO_TEST_CASE(destroyed_context_ends_all_spans) {
  std::optional<asio::io_context> context(1);
  const auto by = std::make_shared<recorder>();
  std::optional<client> observed(client(*context, observing(shared_server().address(), by)));
  mutex lock(*observed, path);
  hold held;
  lock.acquire([&](error_code, hold got) { held = std::move(got); });
  run_until(*context, [&] { return held.owns_lock(); });
  lock.acquire([](error_code, const hold&) {});
  run_until(*context, [&] { return observed->stats().total.waiters == 1; });
  // On its way to the strand.
  lock.acquire([](error_code, const hold&) {});
  by->hook = [](const std::string&) { throw std::runtime_error("of the test"); };
  context.reset();
  by->hook = nullptr;
  auto ended = by->taken();
  std::sort(ended.begin(), ended.end());
  const auto closed = text(errc::closed);
  BOOST_TEST((ended == lines{"1 granted", "1 lost: " + closed, "1 started",
                             "2 not granted: " + closed, "2 started", "3 not granted: " + closed,
                             "3 started", "closed", "connected"}));
  BOOST_TEST(by->kept() == 0);
  BOOST_TEST((observed->state() == connection_state::closed));
  BOOST_TEST(observed->stats().total.lost.closed == 1u);
  BOOST_TEST(observed->stats().total.failed == 2u);
  BOOST_TEST(observed->stats().total.waiters == 0u);
}

BOOST_AUTO_TEST_CASE(start_is_reported_on_the_calling_thread) {
  background context;
  const auto by = std::make_shared<recorder>();
  client observed(context.io, observing(shared_server().address(), by));
  mutex lock(observed, path);
  multi_lock both(mutex(observed, path + "/a"), mutex(observed, path + "/b"));
  std::vector<any_lock> any{mutex(observed, path + "/c"), mutex(observed, path + "/d")};
  const hold first = get(lock.acquire(10s, asio::use_future));
  const multi_hold second = get(both.acquire(10s, asio::use_future));
  const auto third = get(acquire_any(any, 10s, asio::use_future));
  const auto starters = by->starters();
  BOOST_TEST(starters.size() == 5u);
  for (const auto& each : starters)
    BOOST_TEST((each == std::this_thread::get_id()));
  get(observed.close(asio::use_future));
}

BOOST_AUTO_TEST_CASE(exception_leaves_run_and_the_library_goes_on) {
  seen->hook = [](const std::string& line) { throw std::runtime_error(line); };
  lines thrown;
  const auto run_to = [&](auto condition) {
    const auto deadline = std::chrono::steady_clock::now() + 30s;
    io.restart();
    while (!condition() && std::chrono::steady_clock::now() < deadline)
      try {
        io.run_one_for(50ms);
      } catch (const std::runtime_error& error) {
        thrown.emplace_back(error.what());
      }
    BOOST_TEST_REQUIRE(condition());
  };
  run_to([&] { return !thrown.empty(); });
  mutex lock(zk, path);
  hold held;
  lock.acquire(10s, [&](error_code, hold got) { held = std::move(got); });
  run_to([&] { return held.owns_lock() && thrown.size() == 3; });
  bool released = false;
  held.release([&](error_code) { released = true; });
  run_to([&] { return released && thrown.size() == 4; });
  seen->hook = nullptr;
  // The span of the acquire is not known: its start has thrown.
  BOOST_TEST((thrown == lines{"connected", "1 started", "? granted", "? released"}));
}

// Each function finds the state that it reports, and may use the client, which must not be in the
// middle of an event then.
BOOST_AUTO_TEST_CASE(functions_may_use_and_destroy_the_client) {
  const auto by = std::make_shared<recorder>();
  auto observed = std::make_unique<client>(io, observing(shared_server().address(), by));
  std::vector<hold> holds;
  const auto acquire = [&](const std::string& name) {
    mutex(*observed, path + '/' + name).acquire(10s, [&](error_code, hold got) {
      if (got.owns_lock()) holds.push_back(std::move(got));
    });
  };
  by->hook = [&](const std::string& line) {
    if (line == "connected" && observed) {
      BOOST_TEST(observed->connected());
      for (int i = 0; i < 100; ++i)
        acquire(std::to_string(i));
    }
    if (line == "1 granted") shared_server().expire(observed->session_id());
    if (line == "lost") {
      BOOST_TEST((observed->state() == connection_state::lost));
      holds.clear();
      observed = nullptr;
    }
  };
  // All spans may have ended before the report of the loss: the report of the end follows.
  run_until(io, [&] { return by->has("closed") && by->kept() == 0; });
  by->hook = nullptr;
  const auto all = by->taken();
  BOOST_TEST(std::count(all.begin(), all.end(), "lost") == 1);
  BOOST_TEST(all.back() == "closed");
}

BOOST_AUTO_TEST_SUITE_END()

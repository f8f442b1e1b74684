// multi_hold: several locks are released and lost together.
#include "multi_lock/several.hpp"

#include <optional>

using namespace zklock;
using namespace zklock::test;

BOOST_FIXTURE_TEST_SUITE(multi_holds, several, *boost::unit_test::timeout(120))

BOOST_AUTO_TEST_CASE(failed_release_of_one_lock_still_releases_the_others) {
  // Entries in this directory cannot be deleted.
  make(b, 5);
  run(io, [&]() -> asio::awaitable<void> {
    multi_lock lock(all_of(zk));
    multi_hold held = co_await lock.acquire(10s);
    const auto [error] = co_await held.release(as_result);
    BOOST_TEST((error == errc::no_permission));
    BOOST_TEST((held.state() == hold_state::empty));
    BOOST_TEST(entries(witness, a) == 0u);
    BOOST_TEST(entries(witness, b) == 1u);
    BOOST_TEST(entries(witness, c) == 0u);
    co_await zk.close();
    BOOST_TEST(entries(witness, b) == 0u);
  });
}

BOOST_AUTO_TEST_CASE(multi_hold_is_lost_with_one_of_its_locks) {
  run(io, [&]() -> asio::awaitable<void> {
    multi_lock lock(all_of(zk));
    multi_hold held = co_await lock.acquire(10s);
    std::vector<error_code> reasons;
    const auto note = [&](error_code error, error_code why) {
      BOOST_TEST(!error);
      reasons.push_back(why);
    };
    held.wait_lost(note);
    held.wait_lost(note);
    BOOST_TEST(reasons.empty());
    delete_entries(b);
    const auto told = [&] { return reasons.size() == 2; };
    co_await eventually(told);
    BOOST_TEST((reasons.front() == errc::entry_deleted));
    BOOST_TEST((reasons.back() == errc::entry_deleted));
    BOOST_TEST(!held.owns_lock());
    BOOST_TEST((held.state() == hold_state::lost));
    BOOST_TEST((held.valid_until() == boot_clock::time_point::min()));
    BOOST_TEST(held.holds()[0].owns_lock());
    const error_code later = co_await held.wait_lost();
    BOOST_TEST((later == errc::entry_deleted));
    co_await held.release();
    co_await nothing_left();
  });
}

BOOST_AUTO_TEST_CASE(wait_lost_is_aborted_when_the_locks_are_released) {
  run(io, [&]() -> asio::awaitable<void> {
    multi_lock lock(all_of(zk));
    for (const bool destroyed : {false, true}) {
      multi_hold held = co_await lock.acquire(10s);
      std::optional<error_code> ended;
      held.wait_lost([&](error_code error, error_code) { ended = error; });
      if (destroyed)
        held = multi_hold();
      else
        co_await held.release();
      const auto over = [&] { return ended.has_value(); };
      co_await eventually(over);
      BOOST_TEST((*ended == asio::error::operation_aborted));
      co_await nothing_left();
    }
    multi_hold held = co_await lock.acquire(10s);
    asio::cancellation_signal signal;
    std::optional<error_code> ended;
    held.wait_lost(asio::bind_cancellation_slot(
        signal.slot(), [&](error_code error, error_code) { ended = error; }));
    signal.emit(asio::cancellation_type::total);
    const auto over = [&] { return ended.has_value(); };
    co_await eventually(over);
    BOOST_TEST((*ended == asio::error::operation_aborted));
    BOOST_TEST(held.owns_lock());
  });
}

BOOST_AUTO_TEST_CASE(operation_on_an_empty_multi_hold_fails_empty_hold) {
  run(io, [&]() -> asio::awaitable<void> {
    multi_hold none;
    BOOST_TEST((none.valid_until() == boot_clock::time_point::min()));
    const auto [released] = co_await none.release(as_result);
    BOOST_TEST((released == errc::empty_hold));
    const auto lost = co_await none.wait_lost(as_result);
    BOOST_TEST((std::get<0>(lost) == errc::empty_hold));
  });
}

BOOST_AUTO_TEST_CASE(cancelled_release_ends_only_the_wait) {
  client behind(io, attentive(door.address()));
  run(io, [&]() -> asio::awaitable<void> {
    multi_lock lock(mutex(zk, a), mutex(behind, b));
    multi_hold held = co_await lock.acquire(10s);
    door.silence();
    asio::cancellation_signal signal;
    std::optional<error_code> ended;
    held.release(
        asio::bind_cancellation_slot(signal.slot(), [&](error_code error) { ended = error; }));
    co_await wait_for_entries(witness, a, 0);
    BOOST_TEST(!ended.has_value());
    signal.emit(asio::cancellation_type::terminal);
    const auto over = [&] { return ended.has_value(); };
    co_await eventually(over);
    BOOST_TEST((*ended == asio::error::operation_aborted));
    door.heal();
    co_await nothing_left();
  });
}

BOOST_AUTO_TEST_CASE(limit_and_owner_apply_to_each_lock) {
  run(io, [&]() -> asio::awaitable<void> {
    const owner me;
    multi_lock lock(all_of(zk));
    multi_hold outer = co_await lock.acquire({.timeout = 10s, .owner = me});
    multi_hold inner = co_await lock.acquire({.timeout = 0s, .owner = me});
    mutex one(zk, b);
    hold single = co_await one.acquire({.timeout = 0s, .owner = me});
    BOOST_TEST(single.node() == inner.holds()[1].node());
    co_await outer.release();
    BOOST_TEST(inner.owns_lock());
    co_await inner.release();
    BOOST_TEST(single.owns_lock());
    co_await single.release();
    co_await nothing_left();

    const multi_hold limited = co_await lock.acquire({.hold_limit = 100ms});
    const error_code why = co_await limited.wait_lost();
    BOOST_TEST((why == errc::hold_limit_reached));
    co_await nothing_left();
  });
}

BOOST_AUTO_TEST_CASE(multi_hold_may_outlive_its_client_and_context) {
  multi_hold left_over;
  {
    asio::io_context short_lived(1);
    std::optional<client> gone(std::in_place, short_lived, attentive(shared_server().address()));
    multi_lock lock(all_of(*gone));
    lock.acquire([&](error_code, multi_hold held) { left_over = std::move(held); });
    run_until(short_lived, [&] { return left_over.owns_lock(); });
    // An acquire that never completes.
    multi_lock again(all_of(*gone));
    again.acquire([](error_code, const multi_hold&) { BOOST_ERROR("the locks are held"); });
    left_over.wait_lost([](error_code, error_code) { BOOST_ERROR("the context is gone"); });
    run_until(short_lived, [&] { return entries(witness, a) == 2; });
    gone.reset();
  }
  BOOST_TEST(!left_over.owns_lock());
}

BOOST_AUTO_TEST_SUITE_END()

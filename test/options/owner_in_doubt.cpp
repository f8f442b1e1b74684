// An owner acquires its lock again while its hold is in doubt.
#include "support/pending.hpp"
#include "support/scene.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/error.hpp>
#include <boost/test/unit_test.hpp>

#include <cstddef>
#include <optional>
#include <thread>

using namespace zklock;
using namespace zklock::test;

namespace {

// The session is in doubt long before it can expire.
client_options seldom_proven(const std::string& servers) {
  auto options = options_for(servers, 9s);
  options.check_interval = 3300ms;
  options.connect_timeout = 300ms;
  return options;
}

struct doubt_scene : scene {
  doubt_scene() : scene({.ours = seldom_proven(behind_door)}) {}

  mutex a{zk, fresh_path()};
  mutex b{zk, fresh_path()};
  const owner me{};
  hold first{};
  hold second{};

  acquire_options again(std::chrono::nanoseconds timeout) const {
    return {.timeout = timeout, .owner = me};
  }

  /// The owner holds both locks, and both are in doubt.
  asio::awaitable<void> come_into_doubt() {
    first = co_await a.acquire(again(30s), asio::use_awaitable);
    second = co_await b.acquire(again(30s), asio::use_awaitable);
    door.silence();
    const auto unproven = [this] { return !first.owns_lock() && !second.owns_lock(); };
    co_await eventually(unproven);
  }

  /// Waits until the earlier acquires of the client wait for a proof: a later acquire has ended. A
  /// client begins acquires in the order of the calls.
  asio::awaitable<void> let_acquires_begin(const mutex& later) {
    const auto [late, none] = co_await later.acquire(again(50ms), as_result);
    BOOST_TEST((late == boost::system::errc::timed_out));
  }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(owners_in_doubt, doubt_scene, *boost::unit_test::timeout(120))

BOOST_AUTO_TEST_CASE(multi_lock_in_doubt_ends_by_its_timeout) {
  run(io, [&]() -> asio::awaitable<void> {
    co_await come_into_doubt();
    multi_lock both(a, b);
    const auto [error, held] = co_await both.acquire(again(200ms), as_result);
    BOOST_TEST((error == boost::system::errc::timed_out));
    BOOST_TEST(held.holds().empty());
  });
}

BOOST_AUTO_TEST_CASE(acquire_in_doubt_ends_by_its_timeout_and_by_cancellation) {
  run(io, [&]() -> asio::awaitable<void> {
    co_await come_into_doubt();
    const auto [late, none] = co_await a.acquire(again(50ms), as_result);
    BOOST_TEST((late == boost::system::errc::timed_out));
    const auto [tried, nothing] = co_await a.acquire(again(0s), as_result);
    BOOST_TEST((tried == errc::not_connected));
    asio::cancellation_signal stop;
    pending<hold> cancelled;
    a.acquire(again(60s), asio::bind_cancellation_slot(stop.slot(), cancelled.token()));
    co_await let_acquires_begin(a);
    BOOST_TEST(!cancelled.done());
    stop.emit(asio::cancellation_type::terminal);
    BOOST_TEST((co_await cancelled.wait() == asio::error::operation_aborted));
  });
}

BOOST_AUTO_TEST_CASE(client_rests_while_acquires_wait_for_a_proof) {
  run(io, [this] { return come_into_doubt(); });
  pending<hold> one;
  pending<hold> other;
  pending<hold> late;
  a.acquire(again(60s), one.token());
  b.acquire(again(60s), other.token());
  b.acquire(again(200ms), late.token());
  std::size_t handlers = 0;
  io.restart();
  while (!late.done())
    handlers += io.run_one();
  BOOST_TEST((late.error() == boost::system::errc::timed_out));
  BOOST_TEST(!one.done());
  BOOST_TEST(!other.done());
  BOOST_TEST(handlers < 200u);
}

BOOST_AUTO_TEST_CASE(multi_lock_is_acquired_once_the_session_is_proven_again) {
  run(io, [&]() -> asio::awaitable<void> {
    co_await come_into_doubt();
    multi_lock both(a, b);
    pending<multi_hold> held;
    both.acquire(again(60s), held.token());
    co_await let_acquires_begin(b);
    BOOST_TEST(!held.done());
    door.heal();
    BOOST_TEST(!(co_await held.wait(60s)));
    BOOST_TEST(held.result().owns_lock());
  });
}

// The hold is granted without the client's strand, which takes it over to have it proven. The
// connection stands, as far as the client knows.
BOOST_AUTO_TEST_CASE(acquire_after_a_pause_beside_a_cached_hold_leaves_nothing_behind) {
  auto options = options_for(shared_server().address(), 2s);
  options.lock_cache.emplace();
  client caching(io, options);
  client other(io, options_for(shared_server().address()));
  const mutex lock(caching, fresh_path());
  run(io, [&]() -> asio::awaitable<void> {
    for (int i = 0; i < 5; ++i) {
      hold used = co_await lock.acquire(again(30s));
      co_await used.release();
    }
    first = co_await lock.acquire(again(30s));
    BOOST_TEST(first.token().turn() != 0u);
    // The program blocks its executor.
    std::this_thread::sleep_for(first.valid_until() - boot_clock::now());
    BOOST_TEST(!first.owns_lock());
    hold next = co_await lock.acquire(again(60s));
    co_await next.release();
    first = hold();
    const hold after = co_await mutex(other, lock.path()).acquire(30s);
    BOOST_TEST(after.owns_lock());
    co_await caching.close();
  });
}

BOOST_AUTO_TEST_CASE(try_in_doubt_is_started_once_the_hold_is_lost) {
  auto options = seldom_proven(door.address());
  options.connect_timeout = 30s;
  client patient(io, options);
  const mutex lock(patient, fresh_path());
  run(io, [&]() -> asio::awaitable<void> {
    first = co_await lock.acquire(again(30s));
    door.silence();
    const auto unproven = [this] { return !first.owns_lock(); };
    co_await eventually(unproven);
    pending<hold> tried;
    lock.acquire(again(0s), tried.token());
    co_await let_acquires_begin(lock);
    shared_server().expire(patient.session_id());
    door.heal();
    BOOST_TEST(!(co_await tried.wait(60s)));
    BOOST_TEST(tried.result().owns_lock());
    co_await patient.close();
  });
}

BOOST_AUTO_TEST_CASE(acquire_is_queued_once_the_hold_is_lost) {
  run(io, [&]() -> asio::awaitable<void> {
    co_await come_into_doubt();
    pending<hold> again_held;
    a.acquire(again(60s), again_held.token());
    co_await let_acquires_begin(b);
    BOOST_TEST(!again_held.done());
    shared_server().expire(zk.session_id());
    door.heal();
    BOOST_TEST(!(co_await again_held.wait(60s)));
    BOOST_TEST((first.state() == hold_state::lost));
    BOOST_TEST(again_held.result().owns_lock());
    BOOST_TEST((again_held.result().token() > first.token()));
  });
}

BOOST_AUTO_TEST_CASE(place_in_line_is_told_once_the_hold_is_lost) {
  run(io, [&]() -> asio::awaitable<void> {
    co_await come_into_doubt();
    client other(io, options_for(shared_server().address()));
    pending<hold> next;
    mutex(other, a.path()).acquire(60s, next.token());
    std::optional<std::size_t> ahead;
    const auto told = [&ahead](std::size_t count) { ahead = count; };
    pending<hold> again_held;
    a.acquire({.timeout = 60s, .owner = me, .queued = told}, again_held.token());
    co_await let_acquires_begin(b);
    BOOST_TEST(!ahead.has_value());
    shared_server().expire(zk.session_id());
    door.heal();
    BOOST_TEST(!(co_await next.wait(60s)));
    const auto is_told = [&ahead] { return ahead.has_value(); };
    co_await eventually(is_told);
    BOOST_TEST(*ahead == 1u);
    co_await next.result().release();
    BOOST_TEST(!(co_await again_held.wait(60s)));
    BOOST_TEST(again_held.result().owns_lock());
    co_await other.close();
  });
}

BOOST_AUTO_TEST_CASE(acquire_is_queued_once_the_hold_is_released) {
  run(io, [&]() -> asio::awaitable<void> {
    co_await come_into_doubt();
    pending<hold> again_held;
    a.acquire(again(60s), again_held.token());
    first = hold();
    co_await let_acquires_begin(b);
    BOOST_TEST(!again_held.done());
    door.heal();
    BOOST_TEST(!(co_await again_held.wait(60s)));
    BOOST_TEST(again_held.result().owns_lock());
  });
}

BOOST_AUTO_TEST_CASE(close_ends_the_acquire) {
  run(io, [&]() -> asio::awaitable<void> {
    co_await come_into_doubt();
    pending<hold> again_held;
    a.acquire(again(60s), again_held.token());
    zk.close([](error_code) {});
    BOOST_TEST((co_await again_held.wait(60s) == errc::closed));
  });
}

BOOST_AUTO_TEST_SUITE_END()

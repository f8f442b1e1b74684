// Writers that become readers, and owners that ask for both sides.
#include "shared_scene.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/error.hpp>
#include <boost/test/unit_test.hpp>

#include <optional>
#include <tuple>
#include <vector>

using namespace zklock;
using namespace zklock::test;

BOOST_FIXTURE_TEST_SUITE(downgrades, shared_scene, *boost::unit_test::timeout(120))

// Even a writer that has waited for long does not get in between.
// Source: CURATOR-621.
BOOST_AUTO_TEST_CASE(downgrade_lets_no_writer_in_between) {
  run(io, [&]() -> asio::awaitable<void> {
    hold held = co_await lock.acquire(10s, asio::use_awaitable);
    const auto token = held.token();
    std::vector<int> order;
    asio::co_spawn(io, join_line(theirs, order, 1), asio::detached);
    co_await wait_for_entries(witness, path, 2);
    asio::co_spawn(io, join_line(lock, order, 2), asio::detached);
    co_await wait_for_entries(witness, path, 3);
    co_await held.downgrade(asio::use_awaitable);
    BOOST_TEST(held.node().ends_with("-__READ__0000000000"));
    BOOST_TEST(held.owns_lock());
    BOOST_TEST((held.token() == token));
    BOOST_TEST(witness.exists(held.node()).has_value());
    BOOST_TEST(entries(witness, path) == 3u);
    const auto again = co_await held.downgrade(as_result);
    BOOST_TEST((std::get<0>(again) == errc::not_a_writer));
    BOOST_TEST(order.empty());
    co_await held.release(asio::use_awaitable);
    co_await eventually([&] { return order.size() == 2; });
    BOOST_TEST(order == (std::vector<int>{1, 2}), boost::test_tools::per_element());
    co_await wait_for_entries(witness, path, 0);
  });
}

BOOST_AUTO_TEST_CASE(downgrade_grants_waiting_readers) {
  run(io, [&]() -> asio::awaitable<void> {
    hold held = co_await lock.acquire(10s, asio::use_awaitable);
    std::vector<int> order;
    asio::co_spawn(io, join_line(theirs.shared(), order, 1), asio::detached);
    asio::co_spawn(io, join_line(lock.shared(), order, 2), asio::detached);
    co_await wait_for_entries(witness, path, 3);
    co_await held.downgrade(asio::use_awaitable);
    co_await eventually([&] { return order.size() == 2; });
    BOOST_TEST(held.owns_lock());
  });
}

BOOST_AUTO_TEST_CASE(downgrade_of_a_hold_that_is_no_writer_fails_not_a_writer) {
  run(io, [&]() -> asio::awaitable<void> {
    hold reader = co_await lock.acquire_shared(10s, asio::use_awaitable);
    auto [error] = co_await reader.downgrade(as_result);
    BOOST_TEST((error == errc::not_a_writer));
    mutex plain(zk, fresh_path());
    hold held = co_await plain.acquire(10s, asio::use_awaitable);
    std::tie(error) = co_await held.downgrade(as_result);
    BOOST_TEST((error == errc::not_a_writer));
    hold none;
    std::tie(error) = co_await none.downgrade(as_result);
    BOOST_TEST((error == errc::empty_hold));
  });
}

BOOST_AUTO_TEST_CASE(downgrade_of_a_lost_hold_fails_with_the_reason) {
  run(io, [&]() -> asio::awaitable<void> {
    hold held = co_await lock.acquire({.timeout = 10s, .hold_limit = 1ms}, asio::use_awaitable);
    const auto [waited, reason] = co_await held.wait_lost(as_result);
    BOOST_TEST((reason == errc::hold_limit_reached));
    const auto [error] = co_await held.downgrade(as_result);
    BOOST_TEST((error == errc::hold_limit_reached));
  });
}

BOOST_AUTO_TEST_CASE(write_by_the_owner_of_a_reader_fails_upgrade_refused) {
  run(io, [&]() -> asio::awaitable<void> {
    const owner me;
    hold reader = co_await lock.acquire_shared({.owner = me}, asio::use_awaitable);
    const auto [error, none] = co_await lock.acquire({.owner = me}, as_result);
    BOOST_TEST((error == errc::upgrade_refused));
    BOOST_TEST(entries(witness, path) == 1u);
  });
}

BOOST_AUTO_TEST_CASE(write_by_the_owner_after_its_downgrade_fails_upgrade_refused) {
  run(io, [&]() -> asio::awaitable<void> {
    const owner me;
    hold held = co_await lock.acquire({.timeout = 10s, .owner = me}, asio::use_awaitable);
    co_await held.downgrade(asio::use_awaitable);
    const hold reader = co_await theirs.acquire_shared(10s, asio::use_awaitable);
    const auto [error, none] = co_await lock.acquire({.timeout = 10s, .owner = me}, as_result);
    BOOST_TEST((error == errc::upgrade_refused));
    const hold again =
        co_await lock.acquire_shared({.timeout = 10s, .owner = me}, asio::use_awaitable);
    BOOST_TEST(again.node() == held.node());
    BOOST_TEST(again.owns_lock());
  });
}

BOOST_AUTO_TEST_CASE(downgrade_is_refused_while_the_owner_has_other_holds) {
  run(io, [&]() -> asio::awaitable<void> {
    const owner me;
    hold outer = co_await lock.acquire({.timeout = 10s, .owner = me}, asio::use_awaitable);
    hold inner = co_await lock.acquire({.timeout = 10s, .owner = me}, asio::use_awaitable);
    for (hold* const each : {&inner, &outer}) {
      const auto [error] = co_await each->downgrade(as_result);
      BOOST_TEST((error == errc::downgrade_refused));
    }
    BOOST_TEST(!(co_await theirs.try_acquire_shared()));
    BOOST_TEST(outer.node().find("__WRIT__") != std::string::npos);
    co_await inner.release(asio::use_awaitable);
    co_await outer.downgrade(asio::use_awaitable);
    const hold reader = co_await theirs.acquire_shared(10s, asio::use_awaitable);
    BOOST_TEST(reader.owns_lock());
  });
}

// All of it is initiated before the servers can answer.
BOOST_AUTO_TEST_CASE(owner_acquires_again_while_its_downgrade_is_in_flight) {
  run(io, [&]() -> asio::awaitable<void> {
    const owner me;
    hold held = co_await lock.acquire({.timeout = 10s, .owner = me}, asio::use_awaitable);
    std::optional<error_code> downgraded, wrote, read;
    asio::cancellation_signal stop;
    hold reader;
    held.downgrade(
        asio::bind_cancellation_slot(stop.slot(), [&](error_code error) { downgraded = error; }));
    lock.acquire({.timeout = 10s, .owner = me}, [&](error_code error, hold) { wrote = error; });
    lock.acquire_shared({.timeout = 10s, .owner = me}, [&](error_code error, hold got) {
      read = error;
      reader = std::move(got);
    });
    const auto all_ended = [&] { return downgraded && wrote && read; };
    co_await eventually(all_ended);
    BOOST_TEST(!downgraded->failed());
    BOOST_TEST((*wrote == errc::upgrade_refused));
    BOOST_TEST(!read->failed());
    BOOST_TEST(reader.node() == held.node());
    BOOST_TEST(held.node().find("__READ__") != std::string::npos);
  });
}

// Cancellation ends the wait, not the downgrade: later acquires must not see it as undone.
BOOST_AUTO_TEST_CASE(downgrade_continues_for_the_owner_when_its_wait_is_cancelled) {
  run(io, [&]() -> asio::awaitable<void> {
    const owner me;
    hold held = co_await lock.acquire({.timeout = 10s, .owner = me}, asio::use_awaitable);
    std::optional<error_code> downgraded, wrote, again;
    asio::cancellation_signal stop;
    held.downgrade(
        asio::bind_cancellation_slot(stop.slot(), [&](error_code error) { downgraded = error; }));
    stop.emit(asio::cancellation_type::terminal);
    lock.acquire({.timeout = 10s, .owner = me}, [&](error_code error, hold) { wrote = error; });
    held.downgrade([&](error_code error) { again = error; });
    const auto all_ended = [&] { return downgraded && wrote && again; };
    co_await eventually(all_ended);
    BOOST_TEST((*downgraded == asio::error::operation_aborted));
    BOOST_TEST((*wrote == errc::upgrade_refused));
    BOOST_TEST(!again->failed());
    BOOST_TEST(held.node().find("__READ__") != std::string::npos);
  });
}

BOOST_AUTO_TEST_SUITE_END()

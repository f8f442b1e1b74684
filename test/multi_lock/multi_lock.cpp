// multi_lock: several locks acquired together, all or none.
#include "multi_lock/several.hpp"

#include <boost/asio/post.hpp>
#include <boost/system/system_error.hpp>

#include <optional>
#include <string_view>

using namespace zklock;
using namespace zklock::test;
using std::chrono::steady_clock;

namespace {

// Returns the fault of a list; empty where it has none.
std::string fault_of(std::vector<any_lock> locks) {
  try {
    const multi_lock made(std::move(locks));
    return {};
  } catch (const boost::system::system_error& error) {
    BOOST_TEST((error.code() == errc::bad_lock_list));
    return error.what();
  }
}

} // namespace

BOOST_FIXTURE_TEST_SUITE(multi_locks, several, *boost::unit_test::timeout(120))

BOOST_AUTO_TEST_CASE(locks_of_any_kind_are_held_as_one) {
  run(io, [&]() -> asio::awaitable<void> {
    const shared_mutex book(zk, b);
    const semaphore desks(zk, c, 3);
    multi_lock lock(desks.permits(2), book.shared(), mutex(other, a));
    multi_hold held = co_await lock.acquire(10s);
    BOOST_TEST(held.owns_lock());
    BOOST_TEST((held.state() == hold_state::held));
    BOOST_TEST((held.valid_until() > boot_clock::now()));
    // In the order of the list, not of the acquires.
    BOOST_REQUIRE(held.holds().size() == 3u);
    BOOST_TEST(held.holds()[0].node().starts_with(c + "/leases/"));
    BOOST_TEST(held.holds()[1].node().starts_with(b + "/"));
    BOOST_TEST(held.holds()[2].node().starts_with(a + "/"));
    BOOST_TEST((held.holds()[2].token() < held.holds()[0].token()));
    for (const hold& each : held.holds())
      BOOST_TEST((each.valid_until() >= held.valid_until()));
    co_await held.release();
    BOOST_TEST(!held.owns_lock());
    BOOST_TEST((held.state() == hold_state::empty));
    BOOST_TEST(held.holds().empty());
    BOOST_TEST(entries(witness, a) + entries(witness, b) + entries(witness, c + "/leases") == 0u);
  });
}

BOOST_AUTO_TEST_CASE(list_that_is_empty_or_has_a_lock_twice_is_refused) {
  const shared_mutex book(zk, b);
  BOOST_TEST(fault_of({}).find("empty") != std::string::npos);
  BOOST_TEST(fault_of({mutex(zk, a), mutex(zk, b), mutex(zk, a)}).find('"' + a + '"') !=
             std::string::npos);
  BOOST_TEST(fault_of({book, mutex(zk, a), book.shared()}).find('"' + b + '"') !=
             std::string::npos);
  BOOST_TEST(fault_of({mutex(zk, b), mutex(other, b), book}).find('"' + b + '"') !=
             std::string::npos);
  BOOST_TEST(fault_of({book.shared(), shared_mutex(other, b).shared()}).empty());
  BOOST_TEST(make_error_code(errc::bad_lock_list).message() != "");
}

BOOST_AUTO_TEST_CASE(readers_of_one_path_by_two_clients_are_allowed) {
  run(io, [&]() -> asio::awaitable<void> {
    multi_lock lock(shared_mutex(other, b).shared(), shared_mutex(zk, b).shared());
    const multi_hold held = co_await lock.acquire(10s);
    BOOST_TEST(held.owns_lock());
    BOOST_TEST(entries(witness, b) == 2u);
  });
}

BOOST_AUTO_TEST_CASE(lists_in_opposite_order_never_deadlock) {
  int inside = 0;
  int turns = 0;
  const auto work = [&](std::vector<any_lock> locks, bool shortened) -> asio::awaitable<void> {
    if (shortened) locks.pop_back();
    multi_lock lock(std::move(locks));
    for (int i = 0; i < 50; ++i) {
      multi_hold held = co_await lock.acquire(60s);
      BOOST_TEST(inside == 0);
      ++inside;
      co_await asio::post(io, asio::use_awaitable);
      --inside;
      ++turns;
      if (i % 2 == 0) co_await held.release();
    }
  };
  run(io, [&]() -> asio::awaitable<void> {
    std::vector<asio::awaitable<void>> workers;
    for (int i = 0; i < 8; ++i) {
      auto locks = all_of(i % 2 == 0 ? zk : other);
      if (i % 4 < 2) std::swap(locks.front(), locks.back());
      // Each list has at least two of the three locks: any two lists share a lock.
      workers.push_back(work(std::move(locks), i >= 4));
    }
    co_await together(std::move(workers));
    co_await nothing_left();
  });
  BOOST_TEST(turns == 8 * 50);
}

BOOST_AUTO_TEST_CASE(timed_out_acquire_releases_its_holds) {
  run(io, [&]() -> asio::awaitable<void> {
    mutex foreign(other, b);
    hold taken = co_await foreign.acquire(10s);
    multi_lock lock(mutex(zk, c), mutex(zk, b), mutex(zk, a));
    const auto result = co_await lock.acquire(300ms, as_result);
    BOOST_TEST((std::get<0>(result) == errc::timed_out));
    BOOST_TEST(std::get<1>(result).holds().empty());
    co_await wait_for_entries(witness, a, 0);
    co_await wait_for_entries(witness, b, 1);
    BOOST_TEST(entries(witness, c) == 0u);
    co_await taken.release();
    const multi_hold held = co_await lock.acquire(10s);
    BOOST_TEST(held.owns_lock());
  });
}

BOOST_AUTO_TEST_CASE(one_timeout_covers_all_locks) {
  run(io, [&]() -> asio::awaitable<void> {
    mutex first(other, a);
    mutex second(other, b);
    const hold for_a_while = co_await first.acquire({.hold_limit = 700ms});
    const hold taken = co_await second.acquire(10s);
    multi_lock lock(all_of(zk));
    const auto begun = steady_clock::now();
    const auto result = co_await lock.acquire(1s, as_result);
    const auto took = steady_clock::now() - begun;
    BOOST_TEST((std::get<0>(result) == errc::timed_out));
    BOOST_TEST((took >= 1s));
    BOOST_TEST((took < 1600ms));
    BOOST_TEST((for_a_while.state() == hold_state::lost));
    co_await wait_for_entries(witness, a, 0);
    BOOST_TEST(entries(witness, c) == 0u);
  });
}

BOOST_AUTO_TEST_CASE(try_acquires_all_locks_or_none) {
  run(io, [&]() -> asio::awaitable<void> {
    multi_lock lock(all_of(zk));
    multi_hold held = co_await lock.try_acquire();
    BOOST_TEST(held.owns_lock());
    multi_lock theirs(all_of(other));
    BOOST_TEST(!(co_await theirs.try_acquire()));
    auto result = co_await theirs.acquire(0s, as_result);
    BOOST_TEST((std::get<0>(result) == errc::busy));
    co_await held.release();
    mutex last(other, c);
    const hold taken = co_await last.acquire(10s);
    result = co_await lock.acquire(0s, as_result);
    BOOST_TEST((std::get<0>(result) == errc::busy));
    co_await wait_for_entries(witness, a, 0);
    co_await wait_for_entries(witness, b, 0);
    result = co_await lock.acquire(-1s, as_result);
    BOOST_TEST((std::get<0>(result) == errc::bad_timeout));
  });
}

BOOST_AUTO_TEST_CASE(acquire_fails_where_one_lock_fails) {
  make(b, 1);
  run(io, [&]() -> asio::awaitable<void> {
    multi_lock lock(all_of(zk));
    const auto result = co_await lock.acquire(as_result);
    BOOST_TEST((std::get<0>(result) == errc::no_permission));
    BOOST_TEST((std::get<1>(result).state() == hold_state::empty));
    co_await nothing_left();
    co_await zk.close();
    const auto closed = co_await lock.acquire(as_result);
    BOOST_TEST((std::get<0>(closed) == errc::closed));
  });
}

BOOST_AUTO_TEST_CASE(cancelled_acquire_leaves_nothing) {
  for (const auto type : {asio::cancellation_type::terminal, asio::cancellation_type::partial,
                          asio::cancellation_type::total}) {
    run(io, [&]() -> asio::awaitable<void> {
      mutex foreign(other, b);
      hold taken = co_await foreign.acquire(10s);
      multi_lock lock(all_of(zk));
      asio::cancellation_signal signal;
      std::optional<error_code> ended;
      lock.acquire(asio::bind_cancellation_slot(
          signal.slot(), [&](error_code error, const multi_hold&) { ended = error; }));
      co_await wait_for_entries(witness, b, 2);
      BOOST_TEST(entries(witness, a) == 1u);
      signal.emit(type);
      BOOST_TEST(!ended.has_value());
      const auto over = [&] { return ended.has_value(); };
      co_await eventually(over);
      BOOST_TEST((*ended == asio::error::operation_aborted));
      co_await wait_for_entries(witness, b, 1);
      co_await taken.release();
      co_await nothing_left();
    });
  }
}

BOOST_AUTO_TEST_CASE(lock_lost_while_waiting_for_the_others_is_acquired_again) {
  run(io, [&]() -> asio::awaitable<void> {
    mutex foreign(other, c);
    hold taken = co_await foreign.acquire(10s);
    multi_lock lock(all_of(zk));
    std::optional<multi_hold> got;
    lock.acquire(10s, [&](error_code error, multi_hold held) {
      BOOST_TEST(!error);
      got = std::move(held);
    });
    co_await wait_for_entries(witness, c, 2);
    const auto session = zk.session_id();
    BOOST_TEST(shared_server().expire(session));
    const auto noticed = [&] { return zk.session_id() != session && zk.connected(); };
    co_await eventually(noticed);
    co_await wait_for_entries(witness, c, 2);
    BOOST_TEST(!got.has_value());
    co_await taken.release();
    const auto granted = [&] { return got.has_value(); };
    co_await eventually(granted);
    BOOST_TEST(got->owns_lock());
    for (const auto& each : {a, b, c})
      BOOST_TEST(entries(witness, each) == 1u);
    co_await got->release();
    co_await nothing_left();
  });
}

BOOST_AUTO_TEST_CASE(hold_limit_reached_before_all_locks_are_held_fails_the_acquire) {
  run(io, [&]() -> asio::awaitable<void> {
    mutex foreign(other, c);
    hold taken = co_await foreign.acquire(10s);
    multi_lock lock(all_of(zk));
    std::optional<error_code> ended;
    lock.acquire({.hold_limit = 100ms},
                 [&](error_code error, const multi_hold&) { ended = error; });
    co_await wait_for_entries(witness, c, 2);
    co_await wait_for_entries(witness, a, 0);
    BOOST_TEST(!ended.has_value());
    co_await taken.release();
    const auto over = [&] { return ended.has_value(); };
    co_await eventually(over);
    BOOST_TEST((*ended == errc::hold_limit_reached));
    co_await nothing_left();
  });
}

BOOST_AUTO_TEST_SUITE_END()

// acquire_any: the first of several locks to be granted.
#include "multi_lock/several.hpp"
#include "support/background.hpp"

#include <boost/asio/post.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/use_future.hpp>

#include <array>
#include <future>
#include <optional>

using namespace zklock;
using namespace zklock::test;

namespace {

struct any_of_three : several {
  std::optional<error_code> ended;
  std::size_t which = 0;
  hold got;

  auto note() {
    return [this](error_code error, std::size_t index, hold held) {
      ended = error;
      which = index;
      got = std::move(held);
    };
  }

  asio::awaitable<void> over() {
    const auto told = [this] { return ended.has_value(); };
    co_await eventually(told);
  }

  asio::awaitable<void> all_wait() {
    for (const auto& each : {a, b, c})
      co_await wait_for_entries(witness, each, 2);
  }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(acquire_anys, any_of_three, *boost::unit_test::timeout(120))

BOOST_AUTO_TEST_CASE(first_free_lock_is_acquired) {
  run(io, [&]() -> asio::awaitable<void> {
    multi_lock theirs(all_of(other));
    multi_hold taken = co_await theirs.acquire(10s);
    acquire_any(all_of(zk), note());
    co_await all_wait();
    BOOST_TEST(!ended.has_value());
    witness.remove(taken.holds()[1].node());
    co_await over();
    BOOST_TEST(!*ended);
    BOOST_TEST(which == 1u);
    BOOST_TEST(got.owns_lock());
    BOOST_TEST(got.node().starts_with(b + "/"));
    co_await taken.release();
    co_await wait_for_entries(witness, a, 0);
    co_await wait_for_entries(witness, c, 0);
    BOOST_TEST(entries(witness, b) == 1u);
  });
}

BOOST_AUTO_TEST_CASE(one_of_several_free_locks_is_held) {
  run(io, [&]() -> asio::awaitable<void> {
    for (int i = 0; i < 50; ++i) {
      auto [index, held] = co_await acquire_any(all_of(i % 2 == 0 ? zk : other), 10s);
      BOOST_TEST(held.owns_lock());
      const std::array names{a, b, c};
      BOOST_TEST(held.node().starts_with(names.at(index) + "/"));
      co_await held.release();
      co_await nothing_left();
    }
  });
}

BOOST_AUTO_TEST_CASE(one_of_two_locks_released_together_is_held) {
  run(io, [&]() -> asio::awaitable<void> {
    for (int i = 0; i < 30; ++i) {
      multi_lock theirs(all_of(i % 3 == 0 ? zk : other));
      multi_hold taken = co_await theirs.acquire(10s);
      ended.reset();
      acquire_any(all_of(zk), {.timeout = 20s}, note());
      if (i % 3 != 0) co_await all_wait();
      co_await taken.release();
      co_await over();
      BOOST_TEST(!*ended);
      BOOST_TEST(got.owns_lock());
      co_await got.release();
      co_await nothing_left();
    }
  });
}

BOOST_AUTO_TEST_CASE(acquire_any_fails_where_all_locks_fail) {
  run(io, [&]() -> asio::awaitable<void> {
    multi_lock theirs(all_of(other));
    const multi_hold taken = co_await theirs.acquire(10s);
    auto result = co_await acquire_any(all_of(zk), 200ms, as_result);
    BOOST_TEST((std::get<0>(result) == errc::timed_out));
    BOOST_TEST(std::get<1>(result) == 3u);
    BOOST_TEST((std::get<2>(result).state() == hold_state::empty));
    result = co_await acquire_any(all_of(zk), 0s, as_result);
    BOOST_TEST((std::get<0>(result) == errc::busy));
    for (const auto& each : {a, b, c})
      co_await wait_for_entries(witness, each, 1);
    result = co_await acquire_any({}, as_result);
    BOOST_TEST((std::get<0>(result) == errc::bad_lock_list));
    co_await zk.close();
    result = co_await acquire_any(all_of(zk), as_result);
    BOOST_TEST((std::get<0>(result) == errc::closed));
  });
}

BOOST_AUTO_TEST_CASE(failing_lock_does_not_stop_the_others) {
  make(a, 1);
  run(io, [&]() -> asio::awaitable<void> {
    mutex second(other, b);
    mutex third(other, c);
    hold keeps = co_await second.acquire(10s);
    hold gives = co_await third.acquire(10s);
    acquire_any(all_of(zk), note());
    co_await wait_for_entries(witness, b, 2);
    co_await wait_for_entries(witness, c, 2);
    BOOST_TEST(!ended.has_value());
    co_await gives.release();
    co_await over();
    BOOST_TEST(!*ended);
    BOOST_TEST(which == 2u);
    co_await wait_for_entries(witness, b, 1);
  });
}

BOOST_AUTO_TEST_CASE(cancelled_acquire_any_leaves_nothing) {
  for (const auto type : {asio::cancellation_type::terminal, asio::cancellation_type::partial,
                          asio::cancellation_type::total}) {
    run(io, [&]() -> asio::awaitable<void> {
      multi_lock theirs(all_of(other));
      multi_hold taken = co_await theirs.acquire(10s);
      asio::cancellation_signal signal;
      ended.reset();
      acquire_any(all_of(zk), asio::bind_cancellation_slot(signal.slot(), note()));
      co_await all_wait();
      signal.emit(type);
      BOOST_TEST(!ended.has_value());
      co_await over();
      BOOST_TEST((*ended == asio::error::operation_aborted));
      for (const auto& each : {a, b, c})
        co_await wait_for_entries(witness, each, 1);
      co_await taken.release();
      co_await nothing_left();
    });
  }
}

// Cancelled and granted almost simultaneously, on several threads.
BOOST_AUTO_TEST_CASE(cancellation_races_with_a_grant) {
  background threads(4);
  client busy(threads.io, attentive(shared_server().address()));
  int granted = 0;
  int aborted = 0;
  for (int i = 0; i < 100; ++i) {
    const auto strand = asio::make_strand(threads.io);
    asio::cancellation_signal signal;
    asio::steady_timer timer(strand, i * 20us);
    const auto result = std::make_shared<std::promise<error_code>>();
    const auto fired = std::make_shared<std::promise<void>>();
    auto locks = all_of(busy);
    asio::post(strand, [&, result, fired] {
      timer.async_wait([&, fired](error_code) {
        signal.emit(asio::cancellation_type::terminal);
        fired->set_value();
      });
      auto done = [result](error_code error, std::size_t, const hold&) {
        result->set_value(error);
      };
      acquire_any(locks,
                  asio::bind_cancellation_slot(signal.slot(), asio::bind_executor(strand, done)));
    });
    const auto error = get(result->get_future());
    BOOST_TEST((!error || error == asio::error::operation_aborted));
    ++(error ? aborted : granted);
    get(fired->get_future());
    get(asio::post(strand, asio::use_future));
  }
  BOOST_TEST_MESSAGE(granted << " granted, " << aborted << " aborted");
  for (const auto& each : {a, b, c})
    wait_until([&] { return entries(witness, each) == 0; });
}

BOOST_AUTO_TEST_SUITE_END()

// with_lock with several locks.
#include "multi_lock/several.hpp"
#include "support/background.hpp"

#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_future.hpp>
#include <boost/system/system_error.hpp>

#include <future>
#include <stdexcept>

using namespace zklock;
using namespace zklock::test;
using boost::system::system_error;

namespace {

struct several_bodies : several {
  bool cancelled = false;
  bool running = false;

  // Waits until it is cancelled.
  asio::awaitable<void> wait() {
    asio::steady_timer timer(co_await asio::this_coro::executor,
                             asio::steady_timer::time_point::max());
    running = true;
    const auto [error] = co_await timer.async_wait(as_result);
    cancelled = error == asio::error::operation_aborted;
    throw system_error(error);
  }

  // Returns the error that with_lock threw.
  asio::awaitable<error_code> outcome(multi_lock lock) {
    const auto body = [this] { return wait(); };
    try {
      co_await with_lock(lock, 10s, body);
    } catch (const system_error& error) {
      co_return error.code();
    }
    co_return error_code();
  }

  template <class Act>
  asio::awaitable<void> when_running(Act act) {
    const auto there = [this] { return running; };
    co_await eventually(there);
    act();
  }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(multi_lock_bodies, several_bodies, *boost::unit_test::timeout(120))

BOOST_AUTO_TEST_CASE(with_lock_holds_several_locks) {
  run(io, [&]() -> asio::awaitable<void> {
    multi_lock lock(all_of(zk));
    const auto count = [](multi_hold& held) -> asio::awaitable<std::size_t> {
      co_return held.owns_lock() ? held.holds().size() : 0;
    };
    const auto number = co_await with_lock(lock, 10s, count);
    BOOST_TEST(number == 3u);
    BOOST_TEST(entries(witness, a) + entries(witness, b) + entries(witness, c) == 0u);
    const auto look = [this]() -> asio::awaitable<void> {
      BOOST_TEST(entries(witness, a) + entries(witness, b) + entries(witness, c) == 3u);
      co_return;
    };
    co_await with_lock(lock, acquire_options{.timeout = 10s}, look);
    co_await with_lock(lock, look);
  });
}

BOOST_AUTO_TEST_CASE(body_is_cancelled_when_one_lock_is_lost) {
  run(io, [&]() -> asio::awaitable<void> {
    const auto act = [this] { delete_entries(c); };
    asio::co_spawn(io, when_running(act), asio::detached);
    const auto error = co_await outcome(multi_lock(all_of(zk)));
    BOOST_TEST((error == errc::entry_deleted));
    BOOST_TEST(cancelled);
    co_await nothing_left();
  });
}

BOOST_AUTO_TEST_CASE(body_is_cancelled_when_one_lock_is_in_doubt) {
  client behind(io, options_for(door.address(), 3s));
  run(io, [&]() -> asio::awaitable<void> {
    const auto act = [this] { door.silence(); };
    asio::co_spawn(io, when_running(act), asio::detached);
    const multi_lock both(mutex(zk, a), mutex(behind, b));
    const auto error = co_await outcome(both);
    BOOST_TEST((error == errc::in_doubt));
    BOOST_TEST(cancelled);
    // The release of the second lock does not wait for the server to come back.
    co_await wait_for_entries(witness, a, 0);
    door.heal();
    co_await nothing_left();
  });
}

BOOST_AUTO_TEST_CASE(multi_locks_on_many_threads_exclude_each_other) {
  background threads(4);
  client here(threads.io, attentive(shared_server().address()));
  client there(threads.io, attentive(shared_server().address()));
  // Only the locks protect it.
  int counter = 0;
  const auto count = [&](std::vector<any_lock> locks) -> asio::awaitable<void> {
    multi_lock lock(std::move(locks));
    const auto body = [&](multi_hold& held) -> asio::awaitable<void> {
      const int before = counter;
      co_await asio::post(co_await asio::this_coro::executor, asio::use_awaitable);
      counter = before + 1;
      if (!held.owns_lock()) throw std::logic_error("the locks were not held");
    };
    for (int i = 0; i < 20; ++i)
      co_await with_lock(lock, 50s, body);
  };
  std::vector<std::future<void>> all;
  for (int i = 0; i < 8; ++i)
    all.push_back(
        asio::co_spawn(threads.io, count(all_of(i % 2 == 0 ? here : there)), asio::use_future));
  for (auto& each : all)
    get(each);
  BOOST_TEST(counter == 160);
  multi_lock lock(all_of(here));
  multi_hold held = get(lock.acquire(10s, asio::use_future));
  get(held.release(asio::use_future));
}

BOOST_AUTO_TEST_SUITE_END()

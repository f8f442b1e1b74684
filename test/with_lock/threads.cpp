// with_lock on a context that several threads run.
#include "support/scene.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/use_future.hpp>
#include <boost/system/system_error.hpp>
#include <boost/test/unit_test.hpp>

#include <atomic>
#include <future>
#include <memory>
#include <string>
#include <vector>

using namespace zklock;
using namespace zklock::test;

namespace {

struct threads_setting : two_blocking_clients {
  threads_setting() : two_blocking_clients({.threads = 4}) {}

  // Only the lock protects it.
  int counter = 0;

  asio::awaitable<void> count(client& user, int turns) {
    mutex lock(user, path);
    for (int i = 0; i < turns; ++i) {
      const auto body = [this](hold& held) -> asio::awaitable<bool> {
        const int before = counter;
        co_await asio::post(co_await asio::this_coro::executor, asio::use_awaitable);
        counter = before + 1;
        co_return held.owns_lock();
      };
      if (!co_await with_lock(lock, 50s, body)) throw std::logic_error("the lock was not held");
    }
  }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(with_lock_threads, threads_setting, *boost::unit_test::timeout(60))

BOOST_AUTO_TEST_CASE(one_body_runs_at_a_time) {
  std::vector<std::future<void>> all;
  for (int i = 0; i < 16; ++i)
    all.push_back(asio::co_spawn(io, count(i % 4 == 0 ? other : zk, 20), asio::use_future));
  for (auto& each : all)
    get(each);
  BOOST_TEST(counter == 320);
}

// Cancelled, lost and finished almost simultaneously, in every order.
BOOST_AUTO_TEST_CASE(body_that_ends_while_it_is_cancelled_completes_once) {
  int finished = 0;
  int aborted = 0;
  for (int i = 0; i < 100; ++i) {
    const auto strand = asio::make_strand(io);
    asio::cancellation_signal signal;
    asio::steady_timer timer(strand, i * 50us);
    mutex lock(zk, path);
    const auto body = [i]() -> asio::awaitable<int> {
      asio::steady_timer work(co_await asio::this_coro::executor, 2ms);
      co_await work.async_wait(asio::use_awaitable);
      co_return i;
    };
    // The handler owns it, too, and may still use it when the test continues.
    const auto over = std::make_shared<std::promise<std::exception_ptr>>();
    const auto fired = std::make_shared<std::promise<void>>();
    asio::post(strand, [&, over, fired] {
      timer.async_wait([&, fired](error_code) {
        signal.emit(asio::cancellation_type::terminal);
        fired->set_value();
      });
      asio::co_spawn(strand, with_lock(lock, 30s, body),
                     asio::bind_cancellation_slot(
                         signal.slot(), [over](std::exception_ptr e, int) { over->set_value(e); }));
    });
    if (const auto failure = get(over->get_future())) {
      BOOST_CHECK_EXCEPTION(
          std::rethrow_exception(failure), boost::system::system_error,
          [](const auto& error) { return error.code() == asio::error::operation_aborted; });
      ++aborted;
    } else {
      ++finished;
    }
    get(fired->get_future());
    // The signal and the timer are out of use once the strand has run something else.
    get(asio::post(strand, asio::use_future));
  }
  BOOST_TEST_MESSAGE(finished << " finished, " << aborted << " aborted");
  BOOST_TEST(finished + aborted == 100);
  wait_until([&] { return entries(witness, path) == 0; });
}

BOOST_AUTO_TEST_CASE(body_that_loses_the_lock_is_cancelled) {
  auto options = options_for(shared_server().address());
  options.check_interval = 20ms;
  client attentive(io, options);
  std::atomic<int> begun = 0;
  const auto body = [&begun]() -> asio::awaitable<void> {
    ++begun;
    co_await wait_forever();
  };
  for (int i = 0; i < 5; ++i) {
    std::vector<std::future<void>> all;
    std::vector<std::unique_ptr<mutex>> locks;
    for (int k = 0; k < 8; ++k) {
      locks.push_back(std::make_unique<mutex>(attentive, path + "/" + std::to_string(k)));
      all.push_back(asio::co_spawn(io, with_lock(*locks.back(), 30s, body), asio::use_future));
    }
    // An entry that is deleted before its grant is made anew.
    wait_until([&] { return begun == 8 * (i + 1); });
    for (const auto& lock : locks) {
      for (const auto& node : entries_in_line(witness, std::string(lock->path())))
        witness.remove(node);
    }
    for (auto& each : all)
      BOOST_TEST(error_of(each) == errc::entry_deleted);
  }
}

BOOST_AUTO_TEST_SUITE_END()

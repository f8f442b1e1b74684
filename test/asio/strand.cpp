// Handlers that are bound to an executor of the Networking TS: io_context::strand, asio::executor.
#include <zklock/election.hpp>

#include "support/background.hpp"
#include "support/world.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/executor.hpp>
#include <boost/asio/io_context_strand.hpp>
#include <boost/test/unit_test.hpp>

#include <exception>
#include <optional>
#include <utility>

using namespace zklock;
using namespace zklock::test;

namespace {

// The handlers and their strand are on a context of their own, beside the client's context.
struct in_strand {
  background threads;
  testing::raw_client witness{shared_server().direct_address()};
  client zk{threads.io, options_for(shared_server().address())};
  std::string path = fresh_path();
  mutex lock{zk, path};
  asio::io_context io{1};
  asio::io_context::strand strand{io};

  /// Runs the context until the handler of an operation has run. Nothing else keeps it busy: the
  /// operation counts as work of the strand.
  template <class... Results, class Start>
  std::tuple<Results...> finish(Start start) {
    std::optional<std::tuple<Results...>> ended;
    start(asio::bind_executor(strand, [&](Results... results) {
      BOOST_TEST(strand.running_in_this_thread());
      BOOST_TEST_REQUIRE(!ended.has_value());
      ended.emplace(std::move(results)...);
    }));
    BOOST_TEST(!ended.has_value());
    io.restart();
    io.run_for(30s);
    BOOST_TEST(io.stopped());
    BOOST_TEST_REQUIRE(ended.has_value());
    return std::move(*ended);
  }

  hold acquire() {
    auto [error, held] =
        finish<error_code, hold>([&](auto token) { lock.acquire(10s, std::move(token)); });
    BOOST_TEST(!error);
    BOOST_TEST(held.owns_lock());
    return std::move(held);
  }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(tokens_in_io_context_strand, in_strand, *boost::unit_test::timeout(60))

BOOST_AUTO_TEST_CASE(lock_is_acquired_and_released) {
  hold held = acquire();
  auto [released] =
      finish<error_code>([&](auto token) { std::move(held).release(std::move(token)); });
  BOOST_TEST(!released);
  BOOST_TEST(entries(witness, path) == 0u);
}

BOOST_AUTO_TEST_CASE(loss_is_told) {
  const hold held = acquire();
  auto [error, reason] = finish<error_code, error_code>([&](auto token) {
    held.wait_lost(std::move(token));
    witness.remove(held.node());
  });
  BOOST_TEST(!error);
  BOOST_TEST(reason == errc::entry_deleted);
}

BOOST_AUTO_TEST_CASE(body_and_leader_run_in_the_strand) {
  const auto body = [&](hold& held) -> asio::awaitable<bool> {
    co_await asio::post(asio::deferred);
    co_return held.owns_lock() && strand.running_in_this_thread();
  };
  auto [failure, inside] = finish<std::exception_ptr, bool>(
      [&](auto token) { with_lock(lock, 10s, body, std::move(token)); });
  BOOST_TEST(!failure);
  BOOST_TEST(inside);
  const election candidate(zk, path);
  std::tie(failure, inside) =
      finish<std::exception_ptr, bool>([&](auto token) { candidate.run(body, std::move(token)); });
  BOOST_TEST(!failure);
  BOOST_TEST(inside);
  BOOST_TEST(entries(witness, path) == 0u);
}

BOOST_AUTO_TEST_CASE(cancellation_slot_beside_the_strand_is_used) {
  const hold first = acquire();
  asio::cancellation_signal stop;
  auto [error, none] = finish<error_code, hold>([&](auto token) {
    lock.acquire(asio::bind_cancellation_slot(stop.slot(), std::move(token)));
    asio::post(strand, [&] { stop.emit(asio::cancellation_type::terminal); });
  });
  BOOST_TEST(error == asio::error::operation_aborted);
  BOOST_TEST((none.state() == hold_state::empty));
}

BOOST_AUTO_TEST_CASE(handler_outlives_the_context_of_the_client) {
  std::optional<asio::io_context> clients(std::in_place, 1);
  client own(*clients, options_for(shared_server().address()));
  const mutex same(own, path);
  const hold first = acquire();
  auto [error, none] = finish<error_code, hold>([&](auto token) {
    mutex(same).acquire(std::move(token));
    run_until(*clients, [&] { return entries(witness, path) == 2u; });
    clients.reset();
  });
  BOOST_TEST(error == errc::closed);
}

BOOST_AUTO_TEST_CASE(polymorphic_executor_works) {
  const asio::executor executor(strand);
  std::optional<error_code> ended;
  lock.acquire(10s, asio::bind_executor(executor, [&](error_code error, const hold&) {
                 BOOST_TEST(strand.running_in_this_thread());
                 ended = error;
               }));
  io.run_for(30s);
  BOOST_TEST_REQUIRE(ended.has_value());
  BOOST_TEST(!*ended);
}

BOOST_AUTO_TEST_SUITE_END()

// Handlers, bodies and leaders run on any executor that Asio accepts.
#include <zklock/election.hpp>

#include "support/background.hpp"
#include "support/world.hpp"

#include <boost/asio/any_completion_executor.hpp>
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/system_executor.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/test/unit_test.hpp>

#include <exception>
#include <future>
#include <memory>
#include <optional>
#include <thread>
#include <tuple>
#include <utility>

using namespace zklock;
using namespace zklock::test;

namespace {

thread_local bool runs_in_place = false;

// Executors of a program, with nothing but `execute`.
struct in_place {
  template <class Function>
  void execute(Function&& function) const {
    const bool outer = std::exchange(runs_in_place, true);
    std::forward<Function>(function)();
    runs_in_place = outer;
  }

  friend bool operator==(in_place, in_place) noexcept { return true; }
};

struct on_pool {
  template <class Function>
  void execute(Function&& function) const {
    asio::post(*pool, std::forward<Function>(function));
  }

  friend bool operator==(on_pool a, on_pool b) noexcept { return a.pool == b.pool; }

  asio::thread_pool* pool;
};

struct any_executor {
  /// Starts an operation with a handler on an executor, and waits for its results. The last one is
  /// whether the handler has run on the executor.
  template <class... Results, class Executor, class Inside, class Start>
  std::tuple<Results..., bool> finish(const Executor& executor, Inside inside, Start start) {
    const auto ended = std::make_shared<std::promise<std::tuple<Results..., bool>>>();
    start(asio::bind_executor(executor, [ended, inside](Results... results) {
      ended->set_value({std::move(results)..., inside()});
    }));
    return get(ended->get_future());
  }

  /// Uses the operations with an executor. `inside` tells whether it is called on the executor.
  template <class Executor, class Inside>
  void use(const Executor& executor, Inside inside) {
    auto [error, held, acquired_inside] = finish<error_code, hold>(
        executor, inside, [&](auto token) { lock.acquire(10s, std::move(token)); });
    BOOST_TEST(!error);
    BOOST_TEST(acquired_inside);
    const auto [released, released_inside] = finish<error_code>(
        executor, inside, [&, &own = held](auto token) { own.release(std::move(token)); });
    BOOST_TEST(!released);
    BOOST_TEST(released_inside);

    const auto body = [&](hold& own) -> asio::awaitable<bool> {
      co_await asio::post(asio::deferred);
      co_return own.owns_lock() && inside();
    };
    auto [failure, body_inside, ended_inside] = finish<std::exception_ptr, bool>(
        executor, inside, [&](auto token) { with_lock(lock, 10s, body, std::move(token)); });
    BOOST_TEST(!failure);
    BOOST_TEST(body_inside);
    BOOST_TEST(ended_inside);
    const election candidate(zk, path);
    std::tie(failure, body_inside, ended_inside) = finish<std::exception_ptr, bool>(
        executor, inside, [&](auto token) { candidate.run(body, std::move(token)); });
    BOOST_TEST(!failure);
    BOOST_TEST(body_inside);
    BOOST_TEST(ended_inside);
    BOOST_TEST(entries(witness, path) == 0u);
  }

  background threads;
  testing::raw_client witness{shared_server().direct_address()};
  client zk{threads.io, options_for(shared_server().address())};
  const std::string path = fresh_path();
  mutex lock{zk, path};
  asio::thread_pool pool{2};
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(executors, any_executor, *boost::unit_test::timeout(60))

BOOST_AUTO_TEST_CASE(of_asio_run_handlers_and_bodies) {
  const auto in_pool = [&] { return pool.get_executor().running_in_this_thread(); };
  use(pool.get_executor(), in_pool);
  use(asio::any_io_executor(pool.get_executor()), in_pool);
  use(asio::any_completion_executor(pool.get_executor()), in_pool);
  const auto strand = asio::make_strand(pool);
  use(strand, [&] { return strand.running_in_this_thread(); });
  use(asio::system_executor(), [&, test = std::this_thread::get_id()] {
    return std::this_thread::get_id() != test &&
           !threads.io.get_executor().running_in_this_thread();
  });
}

BOOST_AUTO_TEST_CASE(with_nothing_but_execute_run_handlers_and_bodies) {
  use(on_pool{&pool}, [&] { return pool.get_executor().running_in_this_thread(); });
  use(in_place(), [] { return runs_in_place; });
  use(asio::any_completion_executor(in_place()), [] { return runs_in_place; });
}

// The client's context has no other work while the body waits for another context.
BOOST_AUTO_TEST_CASE(with_nothing_but_execute_keep_the_context_of_the_client_busy) {
  asio::io_context io{1};
  client own(io, options_for(shared_server().address()));
  std::optional<std::exception_ptr> ended;
  const auto body = [&](hold& held) -> asio::awaitable<void> {
    co_await held.release();
    co_await own.close();
    asio::steady_timer elsewhere(pool, 100ms);
    co_await elsewhere.async_wait(asio::use_awaitable);
  };
  with_lock(mutex(own, path), 10s, body,
            asio::bind_executor(in_place(), [&](std::exception_ptr failure) { ended = failure; }));
  io.run_for(30s);
  BOOST_TEST(io.stopped());
  BOOST_TEST_REQUIRE(ended.has_value());
  BOOST_TEST((*ended == nullptr));
}

BOOST_AUTO_TEST_SUITE_END()

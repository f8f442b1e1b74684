#pragma once

#include <zklock/client.hpp>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <chrono>
#include <exception>
#include <functional>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

namespace zklock::test {

namespace asio = boost::asio;
using namespace std::chrono_literals;

/// A completion token: returns the error and the result instead of throwing.
inline constexpr auto as_result = asio::as_tuple(asio::use_awaitable);

/// Runs a coroutine to its end and rethrows its exception. Throws if it does not end in time. Other
/// work remains on the context.
inline void run(asio::io_context& io, std::function<asio::awaitable<void>()> body,
                std::chrono::seconds limit = 60s) {
  std::exception_ptr failure;
  bool done = false;
  asio::co_spawn(io, body(), [&](std::exception_ptr e) {
    failure = e;
    done = true;
    io.stop();
  });
  io.restart();
  io.run_for(limit);
  if (!done) throw std::runtime_error("the test did not finish in time");
  if (failure) std::rethrow_exception(failure);
}

/// Runs the context until a condition holds. Throws if it does not hold in time.
template <class Condition>
void run_until(asio::io_context& io, Condition condition, std::chrono::seconds limit = 30s) {
  const auto deadline = std::chrono::steady_clock::now() + limit;
  io.restart();
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline)
      throw std::runtime_error("the condition of the test did not hold in time");
    io.run_one_for(50ms);
  }
}

/// Waits inside a coroutine until a condition holds, while other handlers run. Throws if it does
/// not hold in time. The condition must be a named object, not a lambda inside the
/// `co_await` expression.
template <class Condition>
asio::awaitable<void> eventually(Condition condition, std::chrono::seconds limit = 30s) {
  const auto deadline = std::chrono::steady_clock::now() + limit;
  asio::steady_timer pause(co_await asio::this_coro::executor);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline)
      throw std::runtime_error("the condition of the test did not hold in time");
    pause.expires_after(2ms);
    co_await pause.async_wait(asio::use_awaitable);
  }
}

/// Waits inside a coroutine until it is cancelled.
inline asio::awaitable<void> wait_forever() {
  asio::steady_timer timer(co_await asio::this_coro::executor,
                           asio::steady_timer::time_point::max());
  co_await timer.async_wait(asio::use_awaitable);
}

/// Runs coroutines concurrently until all of them have ended, or any throws. For a context with one
/// thread.
inline asio::awaitable<void> together(std::vector<asio::awaitable<void>> bodies) {
  struct progress {
    std::size_t left;
    std::exception_ptr failure;
  };
  const auto all = std::make_shared<progress>(progress{bodies.size(), nullptr});
  const auto executor = co_await asio::this_coro::executor;
  for (auto& body : bodies)
    asio::co_spawn(executor, std::move(body), [all](std::exception_ptr e) {
      --all->left;
      if (!all->failure) all->failure = e;
    });
  const auto over = [all] { return all->left == 0 || all->failure; };
  co_await eventually(over, 60s);
  if (all->failure) std::rethrow_exception(all->failure);
}

} // namespace zklock::test

#pragma once

#include <zklock/client.hpp>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include <chrono>
#include <exception>
#include <functional>
#include <stdexcept>

namespace zklock::test {

namespace asio = boost::asio;
using namespace std::chrono_literals;

/// Runs a coroutine to its end and rethrows what it threw; throws when it is not done in time.
/// The context is left with whatever else was started on it.
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

/// Runs the context until a condition holds; throws when it does not in time.
template <class Condition>
void run_until(asio::io_context& io, Condition condition, std::chrono::seconds limit = 30s) {
  const auto deadline = std::chrono::steady_clock::now() + limit;
  io.restart();
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline)
      throw std::runtime_error("what the test waits for did not happen in time");
    io.run_one_for(50ms);
  }
}

} // namespace zklock::test

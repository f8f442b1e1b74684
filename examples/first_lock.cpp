// Acquires a mutex, works while it is held, and releases it.
//
//   first_lock [HOST:PORT[,HOST:PORT]...]
//
// Run it in two terminals at once: the second process waits for the first.

#include <zklock/zklock.hpp>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <chrono>
#include <exception>
#include <iostream>

namespace asio = boost::asio;
using namespace std::chrono_literals;

asio::awaitable<void> work(zklock::client& client) {
  zklock::mutex lock{client, "/locks/first"};

  std::cout << "waiting for " << lock.path() << std::endl;
  zklock::hold hold = co_await lock.acquire(30s);
  std::cout << "held, with token " << hold.token() << std::endl;

  // No other coroutine and no other process holds the lock until this hold is released or lost.
  asio::steady_timer timer(co_await asio::this_coro::executor, 1s);
  co_await timer.async_wait(asio::use_awaitable);

  co_await hold.release();
  std::cout << "released" << std::endl;

  // io_context::run() returns only after the client is closed.
  co_await client.close();
}

int main(int argc, char** argv) try {
  asio::io_context io;
  zklock::client client{io, {.servers = argc > 1 ? argv[1] : "127.0.0.1:2181"}};

  asio::co_spawn(io, work(client), [](std::exception_ptr failure) {
    if (failure) std::rethrow_exception(failure);
  });
  io.run();
} catch (const std::exception& e) {
  std::cerr << "first_lock: " << e.what() << '\n';
  return 1;
}

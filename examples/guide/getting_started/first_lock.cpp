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

asio::awaitable<void> work(zklock::hold& hold) {
  std::cout << "working, with token " << hold.token() << std::endl;
  asio::steady_timer timer(co_await asio::this_coro::executor, 5s);
  co_await timer.async_wait(asio::use_awaitable);
}

asio::awaitable<void> run(zklock::client& client) {
  zklock::mutex lock(client, "/locks/first");
  std::cout << "waiting for " << lock.path() << std::endl;
  co_await zklock::with_lock(lock, 30s, work);
  std::cout << "released" << std::endl;
}

int main(int argc, char** argv) try {
  asio::io_context io;
  zklock::client client(io, {.servers = argc > 1 ? argv[1] : "127.0.0.1:2181"});
  asio::co_spawn(io, run(client), [&client](std::exception_ptr failure) {
    client.close([failure](zklock::error_code) {
      if (failure) std::rethrow_exception(failure);
    });
  });
  io.run();
} catch (const std::exception& error) {
  std::cerr << "first_lock: " << error.what() << std::endl;
  return 1;
}

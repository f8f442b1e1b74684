// Waits for whichever of several locks is granted first: a print job takes the first idle printer.
//
//   acquire_any [HOST:PORT[,HOST:PORT]...]

#include <zklock/zklock.hpp>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <chrono>
#include <exception>
#include <iostream>
#include <string>
#include <vector>

namespace asio = boost::asio;
using namespace std::chrono_literals;

asio::awaitable<void> print(zklock::client& client, int job) {
  std::vector<zklock::any_lock> printers;
  for (const std::string name : {"copper", "iron", "zinc"})
    printers.push_back(zklock::mutex(client, "/locks/printers/" + name));

  // The acquisitions of the remaining locks are cancelled, and leave no entry behind.
  auto [which, hold] = co_await zklock::acquire_any(printers, 30s, asio::use_awaitable);
  std::cout << "job " << job << " prints on " << printers[which].path() << std::endl;

  asio::steady_timer timer(co_await asio::this_coro::executor, 50ms);
  co_await timer.async_wait(asio::use_awaitable);
  co_await hold.release();
}

int main(int argc, char** argv) try {
  asio::io_context io;
  zklock::client client{io, {.servers = argc > 1 ? argv[1] : "127.0.0.1:2181"}};

  int left = 6;
  auto done = [&client, &left](std::exception_ptr failure) {
    if (failure) std::rethrow_exception(failure);
    if (--left == 0) client.close(asio::detached);
  };
  for (int job = 1; job <= 6; ++job)
    asio::co_spawn(io, print(client, job), done);
  io.run();
} catch (const std::exception& e) {
  std::cerr << "acquire_any: " << e.what() << '\n';
  return 1;
}

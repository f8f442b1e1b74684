// Shares four permits, here licences, among all processes. A small job takes a permit, a large
// job takes two at once. Curator calls a permit a lease.
//
//   semaphore [HOST:PORT[,HOST:PORT]...]

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
#include <stdexcept>

namespace asio = boost::asio;
using namespace std::chrono_literals;

constexpr int licences = 4;

asio::awaitable<void> work(zklock::client& client, int number, int needed, int& in_use) {
  // All users of the path must agree on the limit. zklock::limit_node keeps it in a znode instead.
  zklock::semaphore licence{client, "/locks/licences", licences};

  // All permits are taken together: no job holds a part of them and waits for the rest.
  zklock::hold hold = co_await licence.acquire(needed, 30s);
  in_use += needed;
  std::cout << "job " << number << " takes " << needed << ", " << in_use << " in use" << std::endl;
  if (in_use > licences) throw std::logic_error("more licences in use than there are");

  asio::steady_timer timer(co_await asio::this_coro::executor, 50ms);
  co_await timer.async_wait(asio::use_awaitable);

  in_use -= needed;
  co_await hold.release();
}

int main(int argc, char** argv) try {
  asio::io_context io;
  zklock::client client{io, {.servers = argc > 1 ? argv[1] : "127.0.0.1:2181"}};

  int in_use = 0;
  int left = 10;
  auto done = [&client, &left](std::exception_ptr failure) {
    if (failure) std::rethrow_exception(failure);
    if (--left == 0) client.close(asio::detached);
  };
  for (int number = 1; number <= 10; ++number)
    asio::co_spawn(io, work(client, number, number % 3 == 0 ? 2 : 1, in_use), done);
  io.run();
} catch (const std::exception& e) {
  std::cerr << "semaphore: " << e.what() << '\n';
  return 1;
}

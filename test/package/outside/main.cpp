// A test as users may write it: it starts a real server and locks once.

#include <zklock/testing/server.hpp>
#include <zklock/zklock.hpp>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include <chrono>
#include <exception>
#include <iostream>

namespace asio = boost::asio;
using namespace std::chrono_literals;

asio::awaitable<void> lock_once(zklock::client& client) {
  zklock::mutex mutex(client, "/locks/outside");
  zklock::hold hold = co_await mutex.acquire(10s);
  std::cout << "held with token " << hold.token() << std::endl;
  co_await hold.release();
  co_await client.close();
}

int main() {
  zklock::testing::server server;
  asio::io_context io;
  zklock::client client(io, {.servers = server.address()});
  std::exception_ptr failure;
  asio::co_spawn(io, lock_once(client), [&](std::exception_ptr e) { failure = e; });
  io.run();
  if (failure) std::rethrow_exception(failure);
}

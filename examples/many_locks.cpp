// Hundreds of locks on a client: a lock for each order, so that orders do not wait for each other.
// All locks share a session, a connection and a thread. A lock object is only a name.
//
//   many_locks [HOST:PORT[,HOST:PORT]...]

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
#include <map>
#include <stdexcept>
#include <string>

namespace asio = boost::asio;
using namespace std::chrono_literals;

constexpr int orders = 300;
constexpr int changes_per_order = 3;

// A single coroutine at a time changes an order; the counter proves it.
asio::awaitable<void> change_order(zklock::client& client, int number, int& at_work) {
  zklock::mutex lock{client, "/locks/orders/" + std::to_string(number)};
  zklock::hold hold = co_await lock.acquire(60s);
  if (++at_work != 1) throw std::logic_error("two at work on order " + std::to_string(number));

  asio::steady_timer timer(co_await asio::this_coro::executor, 5ms);
  co_await timer.async_wait(asio::use_awaitable);

  --at_work;
  co_await hold.release();
}

int main(int argc, char** argv) try {
  asio::io_context io;
  zklock::client client{io, {.servers = argc > 1 ? argv[1] : "127.0.0.1:2181"}};

  std::map<int, int> at_work;
  int left = orders * changes_per_order;
  auto done = [&client, &left](std::exception_ptr failure) {
    if (failure) std::rethrow_exception(failure);
    if (--left == 0) client.close(asio::detached);
  };
  for (int change = 0; change < changes_per_order; ++change)
    for (int number = 1; number <= orders; ++number)
      asio::co_spawn(io, change_order(client, number, at_work[number]), done);

  const auto start = std::chrono::steady_clock::now();
  io.run();
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  std::cout << orders * changes_per_order << " changes to " << orders << " orders, one at a time "
            << "each, in " << elapsed.count() << " s" << std::endl;
} catch (const std::exception& e) {
  std::cerr << "many_locks: " << e.what() << '\n';
  return 1;
}

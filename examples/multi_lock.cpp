// Acquires several locks together: money moves between two accounts while both are locked.
// Transfers in opposite directions name the locks in opposite orders, and never deadlock.
//
//   multi_lock [HOST:PORT[,HOST:PORT]...]

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
#include <string>

namespace asio = boost::asio;
using namespace std::chrono_literals;

struct account {
  std::string name;
  int balance;
};

asio::awaitable<void> move_money(zklock::client& client, account& from, account& to, int amount) {
  zklock::multi_lock both{
      zklock::mutex(client, "/locks/accounts/" + from.name),
      zklock::mutex(client, "/locks/accounts/" + to.name),
  };

  // Both locks are acquired or neither is; the timeout covers both.
  zklock::multi_hold hold = co_await both.acquire(30s);
  const int before = from.balance;
  asio::steady_timer timer(co_await asio::this_coro::executor, 5ms);
  co_await timer.async_wait(asio::use_awaitable);
  if (from.balance != before) throw std::logic_error("another transfer changed " + from.name);
  from.balance -= amount;
  to.balance += amount;
  co_await hold.release();
}

int main(int argc, char** argv) try {
  asio::io_context io;
  zklock::client client{io, {.servers = argc > 1 ? argv[1] : "127.0.0.1:2181"}};

  account savings{"savings", 1000};
  account expenses{"expenses", 1000};
  constexpr int transfers = 20;
  int left = 2 * transfers;
  auto done = [&client, &left](std::exception_ptr failure) {
    if (failure) std::rethrow_exception(failure);
    if (--left == 0) client.close(asio::detached);
  };
  for (int i = 0; i < transfers; ++i) {
    asio::co_spawn(io, move_money(client, savings, expenses, 30), done);
    asio::co_spawn(io, move_money(client, expenses, savings, 10), done);
  }
  io.run();
  std::cout << "savings " << savings.balance << ", expenses " << expenses.balance << std::endl;
  return savings.balance + expenses.balance == 2000 ? 0 : 1;
} catch (const std::exception& e) {
  std::cerr << "multi_lock: " << e.what() << '\n';
  return 1;
}

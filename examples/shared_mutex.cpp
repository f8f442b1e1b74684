// Many readers hold a shared mutex together, a writer holds it alone. A writer becomes a reader
// without another writer in between.
//
//   shared_mutex [HOST:PORT[,HOST:PORT]...]

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

namespace asio = boost::asio;
using namespace std::chrono_literals;

struct price_list {
  int version = 0;
  int readers = 0;
};

asio::awaitable<void> look(price_list& prices) {
  ++prices.readers;
  std::cout << "reading version " << prices.version << ", " << prices.readers << " at once"
            << std::endl;
  asio::steady_timer timer(co_await asio::this_coro::executor, 100ms);
  co_await timer.async_wait(asio::use_awaitable);
  --prices.readers;
}

asio::awaitable<void> read(zklock::client& client, price_list& prices) {
  zklock::shared_mutex lock{client, "/locks/prices"};
  zklock::hold hold = co_await lock.acquire_shared(30s);
  co_await look(prices);
  co_await hold.release();
}

asio::awaitable<void> write(zklock::client& client, price_list& prices) {
  zklock::shared_mutex lock{client, "/locks/prices"};
  zklock::hold hold = co_await lock.acquire(30s);
  std::cout << "writing version " << ++prices.version << std::endl;

  // Other readers hold the lock too from here on. No other writer can have written meanwhile.
  co_await hold.downgrade();
  co_await look(prices);
  co_await hold.release();
}

int main(int argc, char** argv) try {
  asio::io_context io;
  zklock::client client{io, {.servers = argc > 1 ? argv[1] : "127.0.0.1:2181"}};

  price_list prices;
  int left = 8;
  auto done = [&client, &left](std::exception_ptr failure) {
    if (failure) std::rethrow_exception(failure);
    if (--left == 0) client.close(asio::detached);
  };
  for (int i = 0; i < left; ++i)
    asio::co_spawn(io, i % 4 == 2 ? write(client, prices) : read(client, prices), done);
  io.run();
} catch (const std::exception& e) {
  std::cerr << "shared_mutex: " << e.what() << '\n';
  return 1;
}

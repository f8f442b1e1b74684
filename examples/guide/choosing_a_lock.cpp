// A use of each kind of lock, for doc/guide/choosing_a_lock.md.
//
//   choosing_a_lock [HOST:PORT[,HOST:PORT]...]

#include <zklock/zklock.hpp>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/io_context.hpp>

#include <chrono>
#include <exception>
#include <iostream>
#include <string>
#include <vector>

namespace asio = boost::asio;
using namespace std::chrono_literals;

namespace {

asio::awaitable<void> say(std::string what) {
  std::cout << what << std::endl;
  co_return;
}

asio::awaitable<void> sell() {
  co_await say("mutex: selling");
}

// A mutex: a single holder at a time.
asio::awaitable<void> sell_one(zklock::client& client) {
  zklock::mutex stock(client, "/locks/stock");
  co_await zklock::with_lock(stock, 5s, sell);
}

// A shared mutex: many readers, or a single writer.
asio::awaitable<void> read_prices(zklock::client& client) {
  zklock::shared_mutex prices(client, "/locks/prices");
  const zklock::hold hold = co_await prices.acquire_shared(5s);
  co_await say("shared_mutex: reading");
}

asio::awaitable<void> change_prices(zklock::client& client) {
  zklock::shared_mutex prices(client, "/locks/prices");
  zklock::hold hold = co_await prices.acquire(5s);
  co_await say("shared_mutex: writing");
  co_await hold.downgrade(); // reads its own prices, with other readers
  co_await say("shared_mutex: reading what was written");
}

// A semaphore: four holders at a time.
asio::awaitable<void> convert(zklock::client& client) {
  zklock::semaphore licences(client, "/locks/licences", 4);
  const zklock::hold one = co_await licences.acquire(5s);
  const zklock::hold two = co_await licences.acquire(2, 5s); // both or none
  co_await say("semaphore: three of four permits");
}

// Several locks together: all or none.
asio::awaitable<void> transfer(zklock::client& client) {
  zklock::mutex from(client, "/locks/accounts/1");
  zklock::mutex to(client, "/locks/accounts/2");
  zklock::multi_lock both(from, to); // the order does not matter: no deadlock
  const zklock::multi_hold hold = co_await both.acquire(5s);
  co_await say("multi_lock: transferring");
}

// The first of several locks that is free.
asio::awaitable<void> print(zklock::client& client) {
  const std::vector<zklock::any_lock> printers{zklock::mutex(client, "/locks/printers/copper"),
                                               zklock::mutex(client, "/locks/printers/iron")};
  const auto [index, hold] = co_await zklock::acquire_any(printers, 5s);
  co_await say("acquire_any: " + std::string(printers[index].path()));
}

asio::awaitable<void> run_schedule(zklock::hold& hold) {
  co_await say("leader: leading, with token " + hold.token().to_string());
}

// A single process of many does a job. When it fails, the next process does.
asio::awaitable<void> lead(zklock::client& client) {
  zklock::election scheduler(client, "/locks/scheduler");
  co_await scheduler.run(run_schedule); // returns when run_schedule does
}

// A reentrant lock: the owner that holds it acquires it again at once.
asio::awaitable<void> book(zklock::mutex& ledger, zklock::owner me) {
  const zklock::acquire_options options{.timeout = 5s, .owner = me};
  const zklock::hold hold = co_await ledger.acquire(options);
  co_await say("owner: booking");
}

asio::awaitable<void> close_month(zklock::client& client) {
  zklock::mutex ledger(client, "/locks/ledger");
  const zklock::owner me;
  const zklock::acquire_options options{.timeout = 5s, .owner = me};
  const zklock::hold hold = co_await ledger.acquire(options);
  co_await book(ledger, me);
}

asio::awaitable<void> use_all(zklock::client& client) {
  using namespace asio::experimental::awaitable_operators;
  co_await sell_one(client);
  co_await (read_prices(client) && read_prices(client));
  co_await change_prices(client);
  co_await convert(client);
  co_await (transfer(client) && transfer(client));
  co_await print(client);
  co_await lead(client);
  co_await close_month(client);
}

} // namespace

int main(int argc, char** argv) try {
  asio::io_context io;
  zklock::client client(io, {.servers = argc > 1 ? argv[1] : "127.0.0.1:2181"});
  asio::co_spawn(io, use_all(client), [&client](std::exception_ptr failure) {
    client.close([failure](zklock::error_code) {
      if (failure) std::rethrow_exception(failure);
    });
  });
  io.run();
} catch (const std::exception& error) {
  std::cerr << "choosing_a_lock: " << error.what() << std::endl;
  return 1;
}

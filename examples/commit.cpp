// Writes to ZooKeeper in a transaction with a check of the hold's entry. The commit of a holder
// that has lost the lock changes nothing.
//
//   commit [HOST:PORT[,HOST:PORT]...]

#include <zklock/zklock.hpp>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/system_error.hpp>

#include <chrono>
#include <exception>
#include <iostream>
#include <tuple>

namespace asio = boost::asio;
using namespace std::chrono_literals;

asio::awaitable<void> sell(zklock::client& client, zklock::client& other) {
  zklock::mutex lock{client, "/locks/stock"};
  zklock::hold hold = co_await lock.acquire(30s);

  // The znode may exist from an earlier run.
  zklock::transaction stock;
  stock.create("/stock", "100");
  auto [error, result] = co_await hold.commit(stock, asio::as_tuple(asio::use_awaitable));
  if (error && error != zklock::errc::node_exists) throw boost::system::system_error(error);

  // The transaction is applied as a whole or not at all, and only while the lock is held.
  zklock::transaction sale;
  sale.set("/stock", "99");
  sale.create("/stock/sold-", "to Alice", zklock::node_kind::persistent_sequential);
  result = co_await hold.commit(sale);
  std::cout << "sold: " << result.created.front() << std::endl;

  // Another client deletes the hold's entry, as the servers do when a session expires.
  zklock::mutex same{other, "/locks/stock"};
  co_await same.break_lock();

  std::tie(error, result) = co_await hold.commit(sale, asio::as_tuple(asio::use_awaitable));
  std::cout << "not sold: " << error.message() << std::endl;
  if (error != zklock::errc::entry_deleted) throw boost::system::system_error(error);

  co_await other.close();
  co_await client.close();
}

int main(int argc, char** argv) try {
  asio::io_context io;
  const char* const servers = argc > 1 ? argv[1] : "127.0.0.1:2181";
  zklock::client client{io, {.servers = servers}};
  zklock::client other{io, {.servers = servers}};

  asio::co_spawn(io, sell(client, other), [](std::exception_ptr failure) {
    if (failure) std::rethrow_exception(failure);
  });
  io.run();
} catch (const std::exception& e) {
  std::cerr << "commit: " << e.what() << '\n';
  return 1;
}

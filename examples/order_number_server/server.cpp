// A web service that gives out order numbers. Any number of its processes can share a folder: a
// lock in ZooKeeper keeps their uses of the last number apart. Environment variables configure it.
//
//   ORDER_FOLDER=/tmp ZOOKEEPER_SERVERS=127.0.0.1:2181 PORT=8080 order_number_server
//   curl -X POST http://127.0.0.1:8080/orders

#include <zklock/zklock.hpp>

#include "examples/ticket_server/http_server.hpp"
#include "fake_limited_resource.hpp"
#include "order_desk.hpp"
#include "settings.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <csignal>
#include <exception>
#include <iostream>
#include <utility>

namespace asio = boost::asio;

namespace {

asio::awaitable<void> serve_until_stopped(http_server& server, zklock::client& client) {
  const auto executor = co_await asio::this_coro::executor;
  asio::signal_set signals(executor, SIGINT, SIGTERM);
  asio::co_spawn(executor, server.run(), asio::detached);
  std::cout << "listening on 127.0.0.1:" << server.port() << std::endl;

  co_await signals.async_wait(asio::use_awaitable);
  co_await server.stop();
  // The error is ignored: the process ends now in either case.
  co_await client.close(asio::as_tuple(asio::use_awaitable));
}

} // namespace

int main() try {
  const auto chosen = read_settings();
  asio::io_context io{1};
  zklock::client client(io, {.servers = chosen.servers});
  // Names the lock once, so that a wrong path ends the program here and not at each request.
  const zklock::mutex checked(client, chosen.lock_path);
  fake_limited_resource numbers(chosen.folder);
  order_desk desk(client, numbers, chosen.lock_path);
  http_server server(io.get_executor(), chosen.port,
                     [&desk](http_request request) { return desk.answer(std::move(request)); });

  asio::co_spawn(io, serve_until_stopped(server, client), [](std::exception_ptr failure) {
    if (failure) std::rethrow_exception(failure);
  });
  io.run();
} catch (const std::exception& e) {
  std::cerr << "order_number_server: " << e.what() << '\n';
  return 1;
}

// A shop that sells tickets over HTTP. Any number of its processes can share a database: a lock
// in ZooKeeper prevents any ticket from being sold twice.
//
//   ticket_server --database FILE [--servers HOST:PORT[,...][/chroot]] [--port N] [--stock N] ...
//   curl -d '{"buyer": "Ann"}' http://127.0.0.1:PORT/buy

#include <zklock/zklock.hpp>

#include "duration_option.hpp"
#include "examples/command_line.hpp"
#include "http_server.hpp"
#include "seller.hpp"
#include "stock.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <chrono>
#include <csignal>
#include <cstdint>
#include <exception>
#include <iostream>
#include <optional>
#include <string>
#include <utility>

namespace asio = boost::asio;
using namespace std::chrono_literals;

namespace {

asio::awaitable<void> serve_until_stopped(http_server& server,
                                          std::optional<zklock::client>& client) {
  const auto executor = co_await asio::this_coro::executor;
  asio::signal_set signals(executor, SIGINT, SIGTERM);
  asio::co_spawn(executor, server.run(), asio::detached);
  std::cout << "listening on 127.0.0.1:" << server.port() << std::endl;

  co_await signals.async_wait(asio::use_awaitable);
  co_await server.stop();
  if (!client) co_return;
  // The error is ignored: the process ends now in either case.
  co_await client->close(asio::as_tuple(asio::use_awaitable));
}

struct settings {
  std::string servers;
  std::string database;
  std::uint16_t port;
  int stock;
  bool no_lock;
  std::string name;
  duration_option work{1ms};
  duration_option wait{5s};
  duration_option session_timeout{15s};
  duration_option server_tick{2s};
};

/// Returns an empty value after printing the help.
std::optional<settings> parse(int argc, char** argv) {
  settings chosen;
  command_line line("ticket_server: sells tickets over HTTP");
  auto add = line.add();
  const auto add_duration = [&add](const char* name, duration_option& chosen_one,
                                   const char* text) {
    add(name, options::value(&chosen_one)->default_value(chosen_one), text);
  };
  line.add_servers(chosen.servers);
  add("database", options::value(&chosen.database)->required(), "the SQLite database to sell from");
  add("port", options::value(&chosen.port)->default_value(0), "the port to listen on; 0: any");
  add("stock", options::value(&chosen.stock)->default_value(200),
      "the number of tickets in a new database");
  add("no-lock", options::bool_switch(&chosen.no_lock), "sell without the lock, and sell too many");
  add("name", options::value(&chosen.name), "the name of this server in the queue of the lock");
  add_duration("work", chosen.work, "how long a sale takes");
  add_duration("wait", chosen.wait, "how long a buyer waits for the lock");
  add_duration("session-timeout", chosen.session_timeout,
               "how long the lock stays taken if this server dies");
  add_duration("server-tick", chosen.server_tick, "tickTime of ZooKeeper's servers");

  if (!line.parse(argc, argv)) return std::nullopt;
  return chosen;
}

} // namespace

int main(int argc, char** argv) try {
  const auto chosen = parse(argc, argv);
  if (!chosen) return 0;

  asio::io_context io{1};
  stock tickets(chosen->database, chosen->stock);
  std::optional<zklock::client> client;
  std::optional<zklock::mutex> lock;
  if (!chosen->no_lock) {
    client.emplace(io, zklock::client_options{.servers = chosen->servers,
                                              .session_timeout = chosen->session_timeout.value,
                                              .identity = chosen->name,
                                              .server_tick = chosen->server_tick.value});
    lock.emplace(*client, seller::lock_path);
  }
  seller till(tickets, client ? &*client : nullptr, lock ? &*lock : nullptr,
              {.work = chosen->work.value, .wait = chosen->wait.value});
  http_server server(io.get_executor(), chosen->port,
                     [&till](http_request request) { return till.answer(std::move(request)); });

  asio::co_spawn(io, serve_until_stopped(server, client), [](std::exception_ptr failure) {
    if (failure) std::rethrow_exception(failure);
  });
  io.run();
} catch (const std::exception& e) {
  std::cerr << "ticket_server: " << e.what() << '\n';
  return 1;
}

// A key-value server on TCP with a lock for each key. Any number of its processes can share a
// folder of values: a connection to any of them locks a key for all.
//
//   key_value_server --data FOLDER [--servers HOST:PORT[,...][/chroot]] [--port N] ...
//
// A request is a line, and so is the reply:
//
//   GET KEY      VALUE ...           at any time
//   LOCK KEY     LOCKED TOKEN        when the lock is held, or ERROR after 30 seconds
//   SET VALUE    OK                  writes the locked key
//   UNLOCK       UNLOCKED
//                LOST KEY: REASON    unasked: the lock is lost, and the work on the key has ended
//
// A connection that ends unlocks its key.

#include <zklock/zklock.hpp>

#include "connection.hpp"
#include "examples/command_line.hpp"
#include "store.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
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
using asio::ip::tcp;
using namespace std::chrono_literals;

namespace {

asio::awaitable<void> serve(tcp::socket socket, zklock::client& client, store& values) {
  connection peer(std::move(socket), client, values);
  try {
    co_await peer.run();
  } catch (const std::exception& e) {
    std::clog << "closed a connection: " + std::string(e.what()) + '\n';
  }
}

asio::awaitable<void> accept(tcp::acceptor& acceptor, zklock::client& client, store& values) {
  for (;;) {
    auto [error, socket] = co_await acceptor.async_accept(asio::as_tuple(asio::use_awaitable));
    if (!error) {
      asio::co_spawn(acceptor.get_executor(), serve(std::move(socket), client, values),
                     asio::detached);
      continue;
    }
    // A passing failure, for example when no descriptor is free.
    std::clog << "cannot accept a connection: " + error.message() + '\n';
    asio::steady_timer pause(acceptor.get_executor(), 100ms);
    co_await pause.async_wait(asio::use_awaitable);
  }
}

asio::awaitable<void> close_at_signal(asio::io_context& io, zklock::client& client) {
  asio::signal_set signals(io, SIGINT, SIGTERM);
  co_await signals.async_wait(asio::use_awaitable);
  // The error is ignored: the process ends now in either case.
  co_await client.close(asio::as_tuple(asio::use_awaitable));
  io.stop();
}

struct settings {
  std::string servers;
  std::string data;
  std::uint16_t port;
  int session_timeout;
};

/// Returns an empty value after printing the help.
std::optional<settings> parse(int argc, char** argv) {
  settings chosen{};
  command_line line("key_value_server: values with locks over TCP");
  auto add = line.add();
  line.add_servers(chosen.servers);
  add("data", options::value(&chosen.data)->required(), "the folder with the values");
  add("port", options::value(&chosen.port)->default_value(0), "the port to listen on; 0: any");
  add("session-timeout", options::value(&chosen.session_timeout)->default_value(15),
      "seconds until a crashed server's locks go to another one");

  if (!line.parse(argc, argv)) return std::nullopt;
  return chosen;
}

} // namespace

int main(int argc, char** argv) try {
  const auto chosen = parse(argc, argv);
  if (!chosen) return 0;

  asio::io_context io{1};
  zklock::client client(io, {.servers = chosen->servers,
                             .session_timeout = std::chrono::seconds(chosen->session_timeout)});
  store values(chosen->data);
  tcp::acceptor acceptor(io, tcp::endpoint(asio::ip::address_v4::loopback(), chosen->port));
  std::cout << "listening on 127.0.0.1:" << acceptor.local_endpoint().port() << std::endl;

  asio::co_spawn(io, accept(acceptor, client, values), asio::detached);
  asio::co_spawn(io, close_at_signal(io, client), asio::detached);
  io.run();
} catch (const std::exception& e) {
  std::cerr << "key_value_server: " << e.what() << '\n';
  return 1;
}

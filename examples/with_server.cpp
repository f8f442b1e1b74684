// Runs a program against a ZooKeeper server that runs as long as the program.
//
//   with_server PROGRAM [ARGUMENT...]
//
// {servers} in an argument is replaced by the server's address:
//
//   with_server ./example_first_lock {servers}

#include <zklock/testing/server.hpp>

#include "testing/child_process.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <csignal>
#include <exception>
#include <iostream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace asio = boost::asio;
namespace testing = zklock::testing;

asio::awaitable<void> pass_on(asio::signal_set& signals, testing::child_process& program) {
  for (;;)
    program.signal(co_await signals.async_wait(asio::use_awaitable));
}

int main(int argc, char** argv) try {
  if (argc < 2) {
    std::cerr << "usage: with_server PROGRAM [ARGUMENT...]\n";
    return 2;
  }
  testing::server server;

  std::vector<std::string> command(argv + 1, argv + argc);
  constexpr std::string_view placeholder = "{servers}";
  for (auto& argument : command)
    if (const auto at = argument.find(placeholder); at != std::string::npos)
      // Without the relay through which tests count requests and cut connections.
      argument.replace(at, placeholder.size(), server.direct_address());

  testing::child_process program({.command = command});
  // A signal ends the program first, and then the server.
  asio::io_context io;
  asio::signal_set signals(io, SIGINT, SIGTERM, SIGHUP);
  asio::co_spawn(io, pass_on(signals, program), asio::detached);
  std::thread end([&] {
    program.wait();
    io.stop();
  });
  io.run();
  end.join();
  return program.wait();
} catch (const std::exception& e) {
  std::cerr << "with_server: " << e.what() << '\n';
  return 1;
}

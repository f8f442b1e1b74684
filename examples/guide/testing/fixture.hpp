// The fixture of all tests of this folder, for any test framework.
#pragma once

#include <zklock/zklock.hpp>

#include "reporter.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>

#include <chrono>
#include <string>
#include <vector>

struct fixture {
  using events = std::vector<std::string>;

  explicit fixture(const std::string& address) : client(io, options(address)) {}

  // The session is short, so that a test can lose it. The tick is the test server's.
  static zklock::client_options options(const std::string& address) {
    using namespace std::chrono_literals;
    return {.servers = address, .session_timeout = 6s, .server_tick = 500ms};
  }

  // Starts a service whose events are recorded under a name.
  void start(reporter& service) { boost::asio::co_spawn(io, service.run(), boost::asio::detached); }

  reporter::listener record(const std::string& name) {
    return [this, name](const std::string& event) { seen.push_back(name + " " + event); };
  }

  // Runs the program's handlers until a condition is true, 30 seconds at most.
  template <class Condition>
  bool wait_until(Condition condition) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (!condition() && std::chrono::steady_clock::now() < deadline)
      io.run_one_until(deadline);
    return condition();
  }

  bool wait_for_events(std::size_t number) {
    return wait_until([&] { return seen.size() >= number; });
  }

  boost::asio::io_context io;
  zklock::client client;
  events seen;
};

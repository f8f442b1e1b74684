// A program that uses a few locks, and serves their figures to Prometheus.
//
//   metrics_exporter [--servers HOST:PORT[,...][/chroot]] [--port N] [--lock NAME]... [--seconds N]
//   curl http://127.0.0.1:PORT/metrics

#include <zklock/metrics.hpp>
#include <zklock/zklock.hpp>

#include "examples/command_line.hpp"
#include "workload.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/address_v4.hpp>
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
#include <string_view>
#include <vector>

namespace asio = boost::asio;

namespace {

struct settings {
  std::string servers;
  std::uint16_t port;
  std::vector<std::string> locks;
  int users;
  int work;
  int seconds;
};

/// The last part of a lock's path. There are as many labels as locks, and the locks are few.
std::string label_of(std::string_view path) {
  return std::string(path.substr(path.rfind('/') + 1));
}

asio::awaitable<void> wait_for_signal() {
  asio::signal_set signals(co_await asio::this_coro::executor, SIGINT, SIGTERM);
  co_await signals.async_wait(asio::use_awaitable);
}

asio::awaitable<void> wait_for_end(int seconds) {
  using namespace asio::experimental::awaitable_operators;
  asio::steady_timer end(co_await asio::this_coro::executor, asio::steady_timer::time_point::max());
  if (seconds > 0) end.expires_after(std::chrono::seconds(seconds));
  co_await (wait_for_signal() || end.async_wait(asio::use_awaitable));
}

asio::awaitable<void> serve(zklock::client& client, std::uint16_t port, int seconds) {
  // Prometheus reaches it from this machine only.
  zklock::metrics::exporter exporter(co_await asio::this_coro::executor,
                                     {asio::ip::address_v4::loopback(), port},
                                     [&client] { return client.stats(); });
  std::cout << "http://127.0.0.1:" << exporter.port() << "/metrics" << std::endl;

  co_await wait_for_end(seconds);
  // The error is ignored: the process ends now in either case.
  co_await client.close(asio::as_tuple(asio::use_awaitable));
}

/// Returns an empty value after printing the help.
std::optional<settings> parse(int argc, char** argv) {
  settings chosen{};
  command_line line("metrics_exporter: serves figures of locks");
  auto add = line.add();
  line.add_servers(chosen.servers);
  add("port", options::value(&chosen.port)->default_value(0), "the port to listen on; 0: any");
  add("lock",
      options::value(&chosen.locks)->default_value({"orders", "stock", "reports"}, "three of them"),
      "the name of a lock; several times for several");
  add("users", options::value(&chosen.users)->default_value(3), "users of each lock");
  add("work", options::value(&chosen.work)->default_value(40),
      "how long a lock is held on average, in milliseconds");
  add("seconds", options::value(&chosen.seconds)->default_value(0),
      "how long to run; 0: until interrupted");

  if (!line.parse(argc, argv)) return std::nullopt;
  return chosen;
}

} // namespace

int main(int argc, char** argv) try {
  const auto chosen = parse(argc, argv);
  if (!chosen) return 0;

  asio::io_context io{1};
  zklock::client client(io, {.servers = chosen->servers, .local_handoffs = 4, .label = label_of});
  workload users(client, chosen->locks, std::chrono::milliseconds(chosen->work));
  users.start(chosen->users);
  asio::co_spawn(io, serve(client, chosen->port, chosen->seconds), [](std::exception_ptr failure) {
    if (failure) std::rethrow_exception(failure);
  });
  io.run();
} catch (const std::exception& e) {
  std::cerr << "metrics_exporter: " << e.what() << '\n';
  return 1;
}

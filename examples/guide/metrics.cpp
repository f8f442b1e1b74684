// Figures, logs and traces of locks, for doc/guide/metrics.md.
//
//   metrics [HOST:PORT[,HOST:PORT]...]

#include <zklock/zklock.hpp>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/system/system_error.hpp>

#include <chrono>
#include <exception>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

namespace asio = boost::asio;
using namespace std::chrono_literals;

namespace {

void expect(bool met, const std::string& what) {
  std::cout << what << (met ? "" : ": NO") << std::endl;
  if (!met) throw std::runtime_error("it is not so: " + what);
}

// /locks/orders/4711 and /locks/orders/4712 are counted together, as "orders".
std::string label_of(std::string_view path) {
  constexpr std::string_view root = "/locks/";
  if (!path.starts_with(root)) return {};
  path.remove_prefix(root.size());
  return std::string(path.substr(0, path.find('/')));
}

// A line of zklock's log, as a line of the program's log.
void write_log(zklock::log_level level, std::string_view line) {
  constexpr const char* names[] = {"info", "warning", "error"};
  std::clog << "level=" << names[static_cast<int>(level)] << " component=zklock " << line << '\n';
}

zklock::client_options options(const std::string& servers) {
  return {.servers = servers, .log = write_log, .label = label_of};
}

std::string describe(const zklock::client& client) {
  const zklock::stats now = client.stats();
  std::string text = "all locks: " + std::to_string(now.total.acquired) + " acquired";
  for (const auto& [label, locks] : now.by_label)
    text += ", " + label + ": " + std::to_string(locks.acquired) + " acquired, " +
            std::to_string(locks.timed_out) + " timed out, " + std::to_string(locks.holds) +
            " held";
  return text;
}

asio::awaitable<void> run(zklock::client& client) {
  zklock::mutex first(client, "/locks/orders/4711");
  zklock::mutex second(client, "/locks/orders/4712");
  zklock::mutex same(client, "/locks/orders/4711");
  zklock::mutex other(client, "/elsewhere");
  const zklock::hold one = co_await first.acquire(30s);
  const zklock::hold two = co_await second.acquire(30s);
  const zklock::hold three = co_await other.acquire(30s);
  const auto [error, none] = co_await same.acquire(50ms, asio::as_tuple(asio::deferred));
  expect(error == zklock::errc::timed_out, "a lock that is held is not acquired");
  expect(describe(client) == "all locks: 3 acquired, orders: 2 acquired, 1 timed out, 2 held",
         "two locks are counted under one label, and all of them together");
}

} // namespace

int main(int argc, char** argv) try {
  asio::io_context io;
  zklock::client client(io, options(argc > 1 ? argv[1] : "127.0.0.1:2181"));
  asio::co_spawn(io, run(client), [&client](std::exception_ptr failure) {
    client.close([failure](zklock::error_code) {
      if (failure) std::rethrow_exception(failure);
    });
  });
  io.run();
} catch (const std::exception& error) {
  std::cerr << "metrics: " << error.what() << std::endl;
  return 1;
}

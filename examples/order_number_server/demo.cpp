// Starts two order_number_server processes that share a folder, and 200 callers who order from both
// servers at once. The servers run with a common lock path, again after a restart, and with a lock
// path each, so that no lock keeps the uses of the resource apart.
//
//   order_number_demo HOST:PORT[,HOST:PORT]...[/chroot]
//
// The status is 0 only if the callers got the numbers from 1 to 400 in the order of the fencing
// tokens, and if the resource found two users in the last run.

#include "examples/ticket_server/http_client.hpp"
#include "testing/child_process.hpp"
#include "testing/temporary_directory.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/http/field.hpp>
#include <boost/beast/http/status.hpp>
#include <boost/beast/http/verb.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/value_to.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <iostream>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace asio = boost::asio;
namespace fs = std::filesystem;
namespace http = boost::beast::http;
namespace json = boost::json;
namespace testing = zklock::testing;
using namespace std::chrono_literals;

namespace {

constexpr std::size_t callers = 200;

/// The answers to all callers of a run.
struct outcome {
  /// The fencing tokens by the order numbers.
  std::map<std::uint64_t, std::string> orders;
  std::size_t refused = 0;
};

/// A running server.
struct order_server {
  testing::child_process process;
  std::uint16_t port;
};

order_server start(const std::string& servers, const testing::temporary_directory& folder,
                   const std::string& lock_path) {
  const auto program = fs::read_symlink("/proc/self/exe").parent_path() / "order_number_server";
  testing::child_process process(
      {.command = {program},
       .environment = {"ZOOKEEPER_SERVERS=" + servers, "ORDER_FOLDER=" + folder.path().string(),
                       "LOCK_PATH=" + lock_path, "PORT=0"},
       .piped = true,
       .log = folder.path() / "log",
       .kept_open = folder.lifeline()});
  const auto line = process.read_line();
  const auto port = static_cast<std::uint16_t>(std::stoi(line.substr(line.rfind(':') + 1)));
  return {std::move(process), port};
}

void count(outcome& result, const http_response& response) {
  if (response.result() == http::status::internal_server_error &&
      response.body() == "two use the resource at once\n") {
    ++result.refused;
    return;
  }
  if (response.result() != http::status::ok)
    throw std::runtime_error("a server answered " + std::to_string(response.result_int()) + ": " +
                             response.body());
  const auto order = json::parse(response.body());
  const auto number = json::value_to<std::uint64_t>(order.at("number"));
  if (!result.orders.emplace(number, json::value_to<std::string>(order.at("token"))).second)
    throw std::runtime_error("number " + std::to_string(number) + " was given out twice");
}

/// Gets an order number. Repeats the request a second after an answer of 503.
asio::awaitable<void> order(std::uint16_t port, outcome& result) {
  const auto executor = co_await asio::this_coro::executor;
  http_client server(executor, port, 30s);
  co_await server.open();
  auto response = co_await server.send(http::verb::post, "/orders", "");
  while (response.result() == http::status::service_unavailable) {
    asio::steady_timer pause(executor, 1s);
    co_await pause.async_wait(asio::use_awaitable);
    response = co_await server.send(http::verb::post, "/orders", "");
  }
  count(result, response);
}

outcome run(const char* name, const std::string& servers,
            const testing::temporary_directory& folder,
            const std::vector<std::string>& lock_paths) {
  std::vector<order_server> started;
  for (const auto& lock_path : lock_paths)
    started.push_back(start(servers, folder, lock_path));

  outcome result;
  asio::io_context io{1};
  for (std::size_t i = 0; i < callers; ++i)
    asio::co_spawn(io, order(started[i % started.size()].port, result),
                   [](std::exception_ptr failure) {
                     if (failure) std::rethrow_exception(failure);
                   });
  io.run();
  for (auto& server : started)
    if (const int status = server.process.stop(); status != 0)
      throw std::runtime_error("a server ended with status " + std::to_string(status));
  std::printf("%-28s %7zu %7zu\n", name, result.orders.size(), result.refused);
  std::fflush(stdout);
  return result;
}

/// Throws unless the numbers have no gap, and rise with the tokens.
void check(const outcome& result, std::uint64_t first) {
  if (result.refused > 0) throw std::runtime_error("two used the resource under the lock");
  const std::string* last_token = nullptr;
  for (const auto& [number, token] : result.orders) {
    if (number != first++)
      throw std::runtime_error("number " + std::to_string(first - 1) + " is missing");
    if (last_token != nullptr && token <= *last_token)
      throw std::runtime_error("the token of number " + std::to_string(number) + " is too low");
    last_token = &token;
  }
}

} // namespace

int main(int argc, char** argv) try {
  const std::string servers = argc > 1 ? argv[1] : "127.0.0.1:2181";
  const testing::temporary_directory folder;
  std::printf("%zu callers at once, 2 servers\n\n%-28s %7s %7s\n", callers, "", "numbers",
              "refused");
  const std::string path = "/locks/order-numbers";
  check(run("a common lock path", servers, folder, {path, path}), 1);
  check(run("after a restart", servers, folder, {path, path}), callers + 1);
  const auto apart =
      run("a lock path for each server", servers, folder, {path + "-a", path + "-b"});
  if (apart.refused == 0)
    throw std::runtime_error("without a common lock path, the resource found no two users");
} catch (const std::exception& e) {
  std::cerr << "order_number_demo: " << e.what() << '\n';
  return 1;
}

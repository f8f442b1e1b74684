#include "buyers.hpp"

#include "http_client.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/http/field.hpp>
#include <boost/beast/http/status.hpp>
#include <boost/beast/http/verb.hpp>

#include <algorithm>
#include <exception>
#include <stdexcept>
#include <utility>

namespace asio = boost::asio;
namespace http = boost::beast::http;
using asio::use_awaitable;
using std::chrono::steady_clock;
using namespace std::chrono_literals;

namespace {

constexpr int attempts = 3;

/// The state that all buyers share. They run on a single thread.
struct crowd {
  std::size_t left;
  std::size_t buyers;
  purchases result;
  asio::steady_timer all_done;
};

asio::awaitable<http_response> buy_patiently(http_client& server, const std::string& buyer) {
  http_response response;
  for (int i = 0; i < attempts; ++i) {
    response = co_await server.send(http::verb::post, "/buy", R"({"buyer": ")" + buyer + "\"}");
    if (response.result() != http::status::service_unavailable) break;
    const std::string seconds(response[http::field::retry_after]);
    asio::steady_timer pause(co_await asio::this_coro::executor,
                             std::chrono::seconds(std::stoi(seconds)));
    co_await pause.async_wait(use_awaitable);
  }
  co_return response;
}

void count(purchases& result, const http_response& response) {
  switch (response.result()) {
  case http::status::ok:
    ++result.sold;
    break;
  case http::status::conflict:
    ++result.refused;
    break;
  default:
    throw std::runtime_error("a server answered " + std::to_string(response.result_int()) + ": " +
                             response.body());
  }
}

asio::awaitable<void> buy_until_done(crowd& all, std::uint16_t port, std::string buyer) {
  http_client server(co_await asio::this_coro::executor, port, 30s);
  co_await server.open();
  while (all.left > 0) {
    --all.left;
    const auto start = steady_clock::now();
    const auto response = co_await buy_patiently(server, buyer);
    all.result.times.emplace_back(steady_clock::now() - start);
    count(all.result, response);
  }
}

} // namespace

asio::awaitable<purchases> buy_tickets(std::vector<std::uint16_t> ports, std::size_t count,
                                       std::size_t parallel) {
  const auto executor = co_await asio::this_coro::executor;
  crowd all{count, parallel, {}, {executor, steady_clock::time_point::max()}};
  auto done = [&all](std::exception_ptr failure) {
    if (--all.buyers == 0) all.all_done.cancel();
    if (!failure) return;
    ++all.result.failed;
    try {
      std::rethrow_exception(failure);
    } catch (const std::exception& e) {
      if (all.result.problem.empty()) all.result.problem = e.what();
    }
  };

  const auto start = steady_clock::now();
  for (std::size_t i = 0; i < parallel; ++i)
    asio::co_spawn(
        executor, buy_until_done(all, ports[i % ports.size()], "buyer-" + std::to_string(i)), done);
  co_await all.all_done.async_wait(asio::as_tuple(use_awaitable));
  all.result.elapsed = steady_clock::now() - start;
  std::sort(all.result.times.begin(), all.result.times.end());
  co_return std::move(all.result);
}

// A shop that sells tickets over HTTP. Any number of these processes can share one database: a lock
// in ZooKeeper prevents any ticket from being sold twice.
//
//   ticket_server --database FILE [--servers HOST:PORT[,...][/chroot]] [--port N] [--stock N]
//   curl -d '{"buyer": "Ann"}' http://127.0.0.1:PORT/buy

#include <zklock/zklock.hpp>

#include "http_server.hpp"
#include "stock.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <boost/json/value_to.hpp>
#include <boost/program_options.hpp>
#include <boost/system/errc.hpp>
#include <boost/system/system_error.hpp>

#include <chrono>
#include <csignal>
#include <cstdint>
#include <exception>
#include <iostream>
#include <optional>
#include <string>
#include <utility>

namespace asio = boost::asio;
namespace http = boost::beast::http;
namespace json = boost::json;
namespace options = boost::program_options;
using namespace std::chrono_literals;

namespace {

/// Sells tickets, one at a time across all processes.
class shop {
 public:
  /// Sells without a lock where `lock` is null.
  shop(stock& tickets, zklock::mutex* lock) : tickets_(tickets), lock_(lock) {}

  asio::awaitable<http_response> answer(http_request request);

 private:
  asio::awaitable<http_response> buy(std::string buyer);
  asio::awaitable<std::optional<sale>> sell(std::string buyer);
  asio::awaitable<std::optional<sale>> sell_next(std::string buyer, std::string token);

  stock& tickets_;
  zklock::mutex* lock_;
};

http_response make_response(http::status status, const json::value& body) {
  http_response response(status, 11);
  response.set(http::field::content_type, "application/json");
  response.body() = json::serialize(body);
  return response;
}

http_response make_error(http::status status, const std::string& text) {
  return make_response(status, {{"error", text}});
}

std::string buyer_of(const http_request& request) {
  return json::value_to<std::string>(json::parse(request.body()).at("buyer"));
}

asio::awaitable<http_response> shop::answer(http_request request) {
  if (request.target() != "/buy") co_return make_error(http::status::not_found, "try /buy");
  if (request.method() != http::verb::post) {
    auto response = make_error(http::status::method_not_allowed, "use POST");
    response.set(http::field::allow, "POST");
    co_return response;
  }
  std::string buyer;
  try {
    buyer = buyer_of(request);
  } catch (const std::exception&) {
    co_return make_error(http::status::bad_request, R"(send {"buyer": "NAME"})");
  }
  co_return co_await buy(std::move(buyer));
}

/// Returns whether an error means that the lock was not acquired in time. Any other error can come
/// from the middle of a sale, which an HTTP client must not repeat.
bool may_try_again(zklock::error_code error) {
  return error == boost::system::errc::timed_out || error == boost::system::errc::not_connected;
}

asio::awaitable<http_response> shop::buy(std::string buyer) {
  try {
    const auto sold = co_await sell(std::move(buyer));
    if (!sold) co_return make_error(http::status::conflict, "sold out");
    co_return make_response(http::status::ok, {{"ticket", sold->ticket}, {"token", sold->token}});
  } catch (const boost::system::system_error& e) {
    if (may_try_again(e.code())) {
      auto response = make_error(http::status::service_unavailable, e.code().message());
      response.set(http::field::retry_after, "1");
      co_return response;
    }
    std::cerr << "a purchase failed: " << e.what() << std::endl;
    co_return make_error(http::status::internal_server_error, e.code().message());
  } catch (const std::exception& e) {
    std::cerr << "a purchase failed: " << e.what() << std::endl;
    co_return make_error(http::status::internal_server_error, "the database failed");
  }
}

/// Returns an empty value when all tickets are sold.
asio::awaitable<std::optional<sale>> shop::sell(std::string buyer) {
  if (lock_ == nullptr) co_return co_await sell_next(std::move(buyer), "");
  auto body = [this, &buyer](zklock::hold& hold) {
    return sell_next(buyer, hold.token().to_string());
  };
  co_return co_await zklock::with_lock(*lock_, 5s, body);
}

asio::awaitable<std::optional<sale>> shop::sell_next(std::string buyer, std::string token) {
  const int left = co_await tickets_.left();
  if (left <= 0) co_return std::nullopt;

  // Stands for a call of a payment service. Any program spends time between reading a value and
  // writing it back. Without a lock, other processes read the same number meanwhile. The wait
  // throws when the lock is lost, and nothing is written.
  asio::steady_timer payment(co_await asio::this_coro::executor, 1ms);
  co_await payment.async_wait(asio::use_awaitable);

  sale sold{.ticket = left, .token = std::move(token), .buyer = std::move(buyer)};
  co_await tickets_.record(left - 1, sold);
  co_return sold;
}

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
};

/// Returns an empty value after printing the help.
std::optional<settings> parse(int argc, char** argv) {
  settings chosen{};
  options::options_description known("ticket_server: sells tickets over HTTP\n\nOptions");
  auto add = known.add_options();
  add("help", "print this");
  add("servers", options::value(&chosen.servers)->default_value("127.0.0.1:2181"),
      "ZooKeeper's servers: HOST:PORT[,HOST:PORT]...[/chroot]");
  add("database", options::value(&chosen.database)->required(), "the SQLite database to sell from");
  add("port", options::value(&chosen.port)->default_value(0), "the port to listen on; 0: any");
  add("stock", options::value(&chosen.stock)->default_value(200),
      "the number of tickets in a new database");
  add("no-lock", options::bool_switch(&chosen.no_lock), "sell without the lock, and sell too many");

  options::variables_map given;
  options::store(options::parse_command_line(argc, argv, known), given);
  if (given.contains("help")) {
    std::cout << known;
    return std::nullopt;
  }
  options::notify(given);
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
    client.emplace(io, zklock::client_options{.servers = chosen->servers});
    lock.emplace(*client, "/locks/tickets");
  }
  shop seller(tickets, lock ? &*lock : nullptr);
  http_server server(io.get_executor(), chosen->port,
                     [&seller](http_request request) { return seller.answer(std::move(request)); });

  asio::co_spawn(io, serve_until_stopped(server, client), [](std::exception_ptr failure) {
    if (failure) std::rethrow_exception(failure);
  });
  io.run();
} catch (const std::exception& e) {
  std::cerr << "ticket_server: " << e.what() << '\n';
  return 1;
}

#include "customers.hpp"

#include "examples/ticket_server/http_client.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/beast/http/status.hpp>
#include <boost/beast/http/verb.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value_to.hpp>

#include <exception>
#include <optional>
#include <utility>

namespace asio = boost::asio;
namespace http = boost::beast::http;
namespace json = boost::json;

namespace {

std::string counted(std::size_t count, const char* one, const char* several) {
  return std::to_string(count) + ' ' + (count == 1 ? one : several);
}

} // namespace

void customers::send(std::size_t count, const std::vector<server_process*>& servers,
                     const json::object& terms) {
  const auto all = std::make_shared<group>(group{count, number_ + 1, count});
  waiting_ += count;
  for (std::size_t i = 0; i < count; ++i) {
    json::object order = terms;
    order["buyer"] = "buyer " + std::to_string(++number_);
    const auto& server = *servers[turn_++ % servers.size()];
    asio::co_spawn(executor_, buy(all, server.name(), server.port(), json::serialize(order)),
                   asio::detached);
  }
}

asio::awaitable<void> customers::buy(std::shared_ptr<group> all, std::string server,
                                     std::uint16_t port, std::string body) {
  try {
    // Without a limit: the buyers of a paused server wait until it goes on.
    http_client connection(co_await asio::this_coro::executor, port, std::nullopt);
    co_await connection.open();
    const auto response = co_await connection.send(http::verb::post, "/buy", std::move(body));
    take(*all, server, response);
  } catch (const std::exception&) {
    // The server was killed. Whether it has sold the ticket is not known here.
    ++all->unanswered;
  }
  --waiting_;
  if (--all->left == 0) report(*all);
}

void customers::take(group& all, const std::string& server, const http_response& response) {
  const auto body = json::parse(response.body()).as_object();
  switch (response.result()) {
  case http::status::ok:
    ++all.sold;
    if (all.size == 1)
      log_.add("Buyer " + std::to_string(all.first) + " got ticket " +
               std::to_string(body.at("ticket").as_int64()) + " from server " + server + ".");
    return;
  case http::status::conflict:
    ++all.sold_out;
    return;
  case http::status::precondition_failed:
    log_.add("The database refused a late sale of server " + server +
             ": a holder with a higher token has used the stock.");
    ++all.late;
    return;
  default:
    const auto error = json::value_to<std::string>(body.at("error"));
    const auto* lost = body.if_contains("lost");
    if (lost != nullptr && lost->as_bool()) {
      log_.add("Server " + server + " was too late: " + error +
               ". Its sale was cancelled, and nothing was written.");
      ++all.late;
      return;
    }
    log_.add("Server " + server + " did not sell a ticket: " + error + ".");
    ++all.failed;
  }
}

void customers::report(const group& all) {
  if (all.size == 1) {
    const auto buyer = "Buyer " + std::to_string(all.first);
    if (all.sold_out > 0) log_.add(buyer + " came too late: sold out.");
    if (all.unanswered > 0)
      log_.add(buyer + " got no answer: the server was killed. Only the database knows whether it "
                       "has sold the ticket.");
    if (all.late + all.failed > 0) log_.add(buyer + " got no ticket.");
    return;
  }
  std::string text = "Of " + std::to_string(all.size) + " buyers, " + std::to_string(all.sold) +
                     " got a ticket and " + std::to_string(all.sold_out) + " came too late";
  if (all.unanswered > 0)
    text += "; " + counted(all.unanswered, "buyer", "buyers") + " got no answer of a killed server";
  if (all.late > 0)
    text += "; " + counted(all.late, "sale", "sales") + " of a server that lost the lock failed";
  if (all.failed > 0) text += "; " + counted(all.failed, "purchase", "purchases") + " failed";
  log_.add(text + ".");
}

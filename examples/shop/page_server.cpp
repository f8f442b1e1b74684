#include "page_server.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/http/field.hpp>
#include <boost/beast/http/status.hpp>
#include <boost/beast/http/verb.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <array>
#include <chrono>
#include <exception>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <utility>

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
namespace json = boost::json;
using namespace std::chrono_literals;

namespace {

constexpr auto as_result = asio::as_tuple(asio::use_awaitable);
constexpr std::size_t most_streams = 50;
// A browser that hears nothing for longer says that the connection is interrupted.
constexpr auto beat_interval = 2s;

struct page_file {
  std::string_view target;
  const char* name;
  const char* type;
};

constexpr std::array files{
    page_file{"/", "index.html", "text/html; charset=utf-8"},
    page_file{"/style.css", "style.css", "text/css; charset=utf-8"},
    page_file{"/shop.js", "shop.js", "text/javascript; charset=utf-8"},
    page_file{"/icon.svg", "icon.svg", "image/svg+xml"},
};

http_response make_response(http::status status, const char* type, std::string body) {
  http_response response(status, 11);
  response.set(http::field::content_type, type);
  response.set(http::field::cache_control, "no-store");
  response.set("Content-Security-Policy", "default-src 'self'; frame-ancestors 'none'");
  response.set("X-Content-Type-Options", "nosniff");
  response.set("Referrer-Policy", "no-referrer");
  response.body() = std::move(body);
  return response;
}

http_response make_error(http::status status, const std::string& text) {
  return make_response(status, "application/json", json::serialize(json::object{{"error", text}}));
}

http_response make_wrong_method(const char* right) {
  auto response = make_error(http::status::method_not_allowed, std::string("use ") + right);
  response.set(http::field::allow, right);
  return response;
}

} // namespace

page_server::page_server(asio::any_io_executor executor, std::uint16_t port, shop& served,
                         std::filesystem::path folder)
    : shop_(served),
      folder_(std::move(folder)),
      server_(
          std::move(executor), port,
          [this](http_request request) { return answer(std::move(request)); },
          [this](const http_request& request, beast::tcp_stream& connection) {
            return stream(request, connection);
          }) {}

// A page of another origin that has got a name to resolve to this address sends that name as Host.
bool page_server::is_own(const http_request& request) const {
  const auto host = request[http::field::host];
  const auto number = std::to_string(port());
  if (host != "127.0.0.1:" + number && host != "localhost:" + number) return false;
  const auto origin = request.find(http::field::origin);
  return origin == request.end() || origin->value() == "http://" + std::string(host);
}

asio::awaitable<http_response> page_server::answer(http_request request) {
  if (!is_own(request)) co_return make_error(http::status::forbidden, "this is another origin");
  if (request.target() == "/actions") {
    if (request.method() != http::verb::post) co_return make_wrong_method("POST");
    // Browsers ask before they send this type to another origin.
    if (request[http::field::content_type] != "application/json")
      co_return make_error(http::status::unsupported_media_type, "send application/json");
    co_return co_await act(request);
  }
  co_return request.method() == http::verb::get ? file(request.target()) : make_wrong_method("GET");
}

http_response page_server::file(std::string_view target) const {
  for (const auto& each : files)
    if (target == each.target) {
      std::ifstream in(folder_ / each.name, std::ios::binary);
      if (!in) return make_error(http::status::internal_server_error, "a file is missing");
      return make_response(http::status::ok, each.type, {std::istreambuf_iterator<char>(in), {}});
    }
  return make_error(http::status::not_found, "there is no such page");
}

asio::awaitable<http_response> page_server::act(const http_request& request) {
  json::object wanted;
  try {
    wanted = json::parse(request.body()).as_object();
    co_await shop_.act(std::move(wanted));
  } catch (const refused_action& e) {
    co_return make_error(http::status::conflict, e.what());
  } catch (const zklock::testing::error& e) {
    co_return make_error(http::status::internal_server_error, e.what());
  } catch (const std::exception& e) {
    co_return make_error(http::status::bad_request, e.what());
  }
  co_return make_response(http::status::no_content, "application/json", "");
}

asio::awaitable<bool> page_server::stream(const http_request& request,
                                          beast::tcp_stream& connection) {
  if (request.target() != "/events" || request.method() != http::verb::get || !is_own(request) ||
      streams_ == most_streams)
    co_return false;
  ++streams_;
  co_await send_events(connection);
  --streams_;
  co_return true;
}

asio::awaitable<void> page_server::send_events(beast::tcp_stream& connection) {
  std::string text = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
                     "Cache-Control: no-store\r\nConnection: close\r\n\r\nretry: 1000\n\n";
  std::uint64_t sent = 0;
  asio::steady_timer pause(connection.get_executor());
  auto last = std::chrono::steady_clock::now();
  for (;;) {
    if (sent != shop_.version()) {
      sent = shop_.version();
      text += "data: " + shop_.state() + "\n\n";
    } else if (std::chrono::steady_clock::now() - last > beat_interval) {
      text += "event: beat\ndata:\n\n";
    }
    if (!text.empty()) {
      connection.expires_after(10s);
      auto written = co_await asio::async_write(connection, asio::buffer(text), as_result);
      if (std::get<0>(written)) co_return;
      last = std::chrono::steady_clock::now();
      text.clear();
    }
    pause.expires_after(50ms);
    co_await pause.async_wait(as_result);
  }
}

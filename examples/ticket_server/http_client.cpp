#include "http_client.hpp"

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/write.hpp>

#include <utility>

namespace asio = boost::asio;
namespace http = boost::beast::http;
using asio::use_awaitable;

http_client::http_client(asio::any_io_executor executor, std::uint16_t port,
                         std::optional<std::chrono::milliseconds> limit)
    : stream_(std::move(executor)), port_(port), limit_(limit) {}

void http_client::start_limit() {
  if (limit_) stream_.expires_after(*limit_);
}

asio::awaitable<void> http_client::open() {
  start_limit();
  const asio::ip::tcp::endpoint server(asio::ip::address_v4::loopback(), port_);
  co_await stream_.async_connect(server, use_awaitable);
}

asio::awaitable<http_response> http_client::send(http::verb method, std::string target,
                                                 std::string body) {
  http_request request(method, target, 11);
  request.set(http::field::host, "127.0.0.1:" + std::to_string(port_));
  request.set(http::field::content_type, "application/json");
  request.body() = std::move(body);
  co_return co_await send(std::move(request));
}

asio::awaitable<http_response> http_client::send(http_request request) {
  request.prepare_payload();
  start_limit();
  co_await http::async_write(stream_, request, use_awaitable);
  http_response response;
  co_await http::async_read(stream_, buffer_, response, use_awaitable);
  co_return response;
}

#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/string_body.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <set>

using http_request = boost::beast::http::request<boost::beast::http::string_body>;
using http_response = boost::beast::http::response<boost::beast::http::string_body>;

/// Answers HTTP requests on the loopback interface, with one coroutine for each connection.
/// Connections stay open between requests. Use it on one thread or in one strand.
class http_server {
 public:
  using handler = std::function<boost::asio::awaitable<http_response>(http_request)>;

  /// Listens on `port`; 0 picks a free one.
  http_server(boost::asio::any_io_executor executor, std::uint16_t port, handler answer);

  std::uint16_t port() const { return acceptor_.local_endpoint().port(); }

  /// Accepts connections until `stop`.
  boost::asio::awaitable<void> run();

  /// Stops accepting and closes idle connections. Completes when all pending responses are sent.
  boost::asio::awaitable<void> stop();

 private:
  boost::asio::awaitable<void> serve(boost::beast::tcp_stream stream);
  boost::asio::awaitable<bool> serve_one(boost::beast::tcp_stream& stream,
                                         boost::beast::flat_buffer& buffer);

  boost::asio::ip::tcp::acceptor acceptor_;
  handler answer_;
  std::set<boost::beast::tcp_stream*> idle_;
  std::size_t connections_ = 0;
  bool stopping_ = false;
  boost::asio::steady_timer all_closed_;
};

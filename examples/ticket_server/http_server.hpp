#pragma once

#include "http_messages.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <set>

/// Answers HTTP requests on the loopback interface, with a coroutine for each connection.
/// Connections stay open between requests. A request with more than 8 KiB of header or 64 KiB of
/// body is refused. Use it on a single thread or in a strand.
class http_server {
 public:
  using handler = std::function<boost::asio::awaitable<http_response>(http_request)>;

  /// Writes to the stream until the connection ends, and returns true. Returns false, and writes
  /// nothing, if the request is not for a stream.
  using streamer =
      std::function<boost::asio::awaitable<bool>(const http_request&, boost::beast::tcp_stream&)>;

  /// Listens on `port`; 0 picks a free port. `stream`, if given, is called first for each request.
  http_server(boost::asio::any_io_executor executor, std::uint16_t port, handler answer,
              streamer stream = {});

  std::uint16_t port() const { return acceptor_.local_endpoint().port(); }

  /// Accepts connections until `stop`.
  boost::asio::awaitable<void> run();

  /// Stops accepting and closes idle connections. Completes when all pending responses and streams
  /// are sent.
  boost::asio::awaitable<void> stop();

 private:
  boost::asio::awaitable<void> serve(boost::beast::tcp_stream stream);
  boost::asio::awaitable<bool> serve_one(boost::beast::tcp_stream& stream,
                                         boost::beast::flat_buffer& buffer);
  boost::asio::awaitable<bool> send(boost::beast::tcp_stream& stream, http_response& response,
                                    bool keep);

  boost::asio::ip::tcp::acceptor acceptor_;
  handler answer_;
  streamer stream_;
  std::set<boost::beast::tcp_stream*> idle_;
  std::size_t connections_ = 0;
  bool stopping_ = false;
  boost::asio::steady_timer all_closed_;
};

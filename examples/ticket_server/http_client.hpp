#pragma once

#include "http_messages.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/verb.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

/// A connection to an HTTP server on the loopback interface. It stays open between requests.
class http_client {
 public:
  /// `limit` is the time limit of each function; without it, they wait until the connection ends.
  http_client(boost::asio::any_io_executor executor, std::uint16_t port,
              std::optional<std::chrono::milliseconds> limit);

  /// Connects.
  boost::asio::awaitable<void> open();

  /// Sends a request, and completes with the response.
  boost::asio::awaitable<http_response> send(http_request request);

  /// Sends a request with a JSON body, and completes with the response.
  boost::asio::awaitable<http_response> send(boost::beast::http::verb method, std::string target,
                                             std::string body);

 private:
  void start_limit();

  boost::beast::tcp_stream stream_;
  std::uint16_t port_;
  std::optional<std::chrono::milliseconds> limit_;
  boost::beast::flat_buffer buffer_;
};

#pragma once

#include "examples/ticket_server/http_server.hpp"
#include "shop.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string_view>

/// Serves the page of the shop to browsers on this machine.
///
///   GET /          the page, and its files
///   GET /events    the state of the shop as server-sent events, again after each change
///   POST /actions  the action of a button
///
/// Pages of other origins can neither read the state nor press a button: the headers Host and
/// Origin must name this server.
class page_server {
 public:
  /// Listens on `port`; 0 picks a free port. `folder` has the files of the page.
  page_server(boost::asio::any_io_executor executor, std::uint16_t port, shop& served,
              std::filesystem::path folder);

  std::uint16_t port() const { return server_.port(); }

  /// Serves until the execution context stops.
  boost::asio::awaitable<void> run() { return server_.run(); }

 private:
  boost::asio::awaitable<http_response> answer(http_request request);
  boost::asio::awaitable<http_response> act(const http_request& request);
  boost::asio::awaitable<bool> stream(const http_request& request,
                                      boost::beast::tcp_stream& connection);
  boost::asio::awaitable<void> send_events(boost::beast::tcp_stream& connection);
  http_response file(std::string_view target) const;
  bool is_own(const http_request& request) const;

  shop& shop_;
  std::filesystem::path folder_;
  http_server server_;
  std::size_t streams_ = 0;
};

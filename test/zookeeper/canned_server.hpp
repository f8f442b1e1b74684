#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>

#include <array>
#include <cstdint>
#include <string>
#include <utility>

namespace zklock::test {

namespace asio = boost::asio;
using asio::ip::tcp;

/// Listens, and answers each client's first bytes with the same text.
class canned_server {
 public:
  canned_server(asio::io_context& io, std::string answer)
      : acceptor_(io, {asio::ip::address_v4::loopback(), 0}), answer_(std::move(answer)) {
    asio::co_spawn(io, serve(), asio::detached);
  }

  std::string address() const {
    return "127.0.0.1:" + std::to_string(acceptor_.local_endpoint().port());
  }

  int clients() const { return clients_; }

 private:
  asio::awaitable<void> serve() {
    for (;;) {
      auto socket = co_await acceptor_.async_accept(asio::use_awaitable);
      ++clients_;
      asio::co_spawn(acceptor_.get_executor(), talk(std::move(socket)), asio::detached);
    }
  }

  asio::awaitable<void> talk(tcp::socket socket) {
    std::array<char, 256> ignored;
    boost::system::error_code error;
    auto token = asio::redirect_error(asio::use_awaitable, error);
    co_await socket.async_read_some(asio::buffer(ignored), token);
    co_await asio::async_write(socket, asio::buffer(answer_), token);
    // The connection stays open until the client closes it.
    while (!error)
      co_await socket.async_read_some(asio::buffer(ignored), token);
  }

  tcp::acceptor acceptor_;
  std::string answer_;
  int clients_ = 0;
};

/// Relays connections from a port of ::1.
class forwarder {
 public:
  forwarder(asio::io_context& io, std::uint16_t target)
      : acceptor_(io, {asio::ip::address_v6::loopback(), 0}),
        target_(asio::ip::address_v4::loopback(), target) {
    asio::co_spawn(io, serve(), asio::detached);
  }

  std::string address() const {
    return "[::1]:" + std::to_string(acceptor_.local_endpoint().port());
  }

 private:
  asio::awaitable<void> serve() {
    for (;;) {
      auto client =
          std::make_shared<tcp::socket>(co_await acceptor_.async_accept(asio::use_awaitable));
      auto server = std::make_shared<tcp::socket>(acceptor_.get_executor());
      co_await server->async_connect(target_, asio::use_awaitable);
      asio::co_spawn(acceptor_.get_executor(), pass(client, server), asio::detached);
      asio::co_spawn(acceptor_.get_executor(), pass(server, client), asio::detached);
    }
  }

  static asio::awaitable<void> pass(std::shared_ptr<tcp::socket> from,
                                    std::shared_ptr<tcp::socket> to) {
    std::array<char, 4096> data;
    boost::system::error_code error;
    auto token = asio::redirect_error(asio::use_awaitable, error);
    for (;;) {
      const auto size = co_await from->async_read_some(asio::buffer(data), token);
      if (error) break;
      co_await asio::async_write(*to, asio::buffer(data, size), token);
    }
    to->shutdown(tcp::socket::shutdown_both, error);
  }

  tcp::acceptor acceptor_;
  tcp::endpoint target_;
};

} // namespace zklock::test

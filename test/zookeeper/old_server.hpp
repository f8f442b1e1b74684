#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace zklock::test {

namespace asio = boost::asio;
using asio::ip::tcp;

/// A relay to a server that hides a part of the protocol. A request of the hidden part is answered
/// by "unimplemented" at once, ahead of earlier answers, and then the connection is closed. All
/// releases from 3.4 on do so (ZooKeeperServer.submitRequest, UnimplementedRequestProcessor).
class old_server {
 public:
  /// `unknown` has the numbers of the hidden requests.
  old_server(asio::io_context& io, std::uint16_t target, std::set<int> unknown)
      : acceptor_(io, {asio::ip::address_v4::loopback(), 0}),
        target_(asio::ip::address_v4::loopback(), target),
        unknown_(std::move(unknown)) {
    asio::co_spawn(io, serve(), asio::detached);
  }

  std::string address() const {
    return "127.0.0.1:" + std::to_string(acceptor_.local_endpoint().port());
  }

  /// The number of connections so far.
  int clients() const { return clients_; }

 private:
  struct link {
    explicit link(tcp::socket accepted)
        : client(std::move(accepted)), server(client.get_executor()) {}
    tcp::socket client;
    tcp::socket server;
  };

  asio::awaitable<void> serve() {
    for (;;) {
      const auto made =
          std::make_shared<link>(co_await acceptor_.async_accept(asio::use_awaitable));
      ++clients_;
      co_await made->server.async_connect(target_, asio::use_awaitable);
      asio::co_spawn(acceptor_.get_executor(), pass_requests(made), asio::detached);
      asio::co_spawn(acceptor_.get_executor(), pass_answers(made), asio::detached);
    }
  }

  asio::awaitable<void> pass_requests(std::shared_ptr<link> through) {
    boost::system::error_code error;
    auto token = asio::redirect_error(asio::use_awaitable, error);
    for (bool greeted = false; !error; greeted = true) {
      std::string frame(4, '\0');
      co_await asio::async_read(through->client, asio::buffer(frame), token);
      if (error) break;
      frame.resize(4 + number_at(frame, 0));
      co_await asio::async_read(through->client, asio::buffer(frame.data() + 4, frame.size() - 4),
                                token);
      if (error) break;
      if (greeted && unknown_.contains(static_cast<std::int32_t>(number_at(frame, 8)))) {
        const auto answer = unimplemented(frame.substr(4, 4));
        co_await asio::async_write(through->client, asio::buffer(answer), token);
        break;
      }
      co_await asio::async_write(through->server, asio::buffer(frame), token);
    }
    through->client.close(error);
    through->server.close(error);
  }

  static asio::awaitable<void> pass_answers(std::shared_ptr<link> through) {
    std::array<char, 4096> data;
    boost::system::error_code error;
    auto token = asio::redirect_error(asio::use_awaitable, error);
    for (;;) {
      const auto size = co_await through->server.async_read_some(asio::buffer(data), token);
      if (error) break;
      co_await asio::async_write(through->client, asio::buffer(data, size), token);
    }
    through->client.close(error);
  }

  static std::uint32_t number_at(std::string_view frame, std::size_t place) {
    std::uint32_t number = 0;
    for (const char byte : frame.substr(place, 4))
      number = number << 8 | static_cast<unsigned char>(byte);
    return number;
  }

  // The number of the request, no transaction, and the error -6.
  static std::string unimplemented(const std::string& request) {
    return std::string("\0\0\0\x10", 4) + request + std::string(8, '\0') + "\xff\xff\xff\xfa";
  }

  tcp::acceptor acceptor_;
  tcp::endpoint target_;
  std::set<int> unknown_;
  int clients_ = 0;
};

} // namespace zklock::test

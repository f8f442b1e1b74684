#pragma once

#include "support/listener.hpp"

#include <array>
#include <memory>
#include <mutex>
#include <string>

namespace zklock::test {

/// Relays connections to a port of the loopback interface, and records all bytes, as an attacker in
/// the middle could.
class recorder {
 public:
  recorder(asio::io_context& io, std::uint16_t target)
      : listener_(io, [this, target](tcp::socket client, int) {
          return talk(std::make_shared<link>(std::move(client)), target);
        }) {}

  std::string address() const { return listener_.address(); }

  std::string bytes() const {
    const std::lock_guard lock(mutex_);
    return bytes_;
  }

 private:
  struct link {
    explicit link(tcp::socket accepted)
        : client(std::move(accepted)), server(client.get_executor()) {}

    tcp::socket client;
    tcp::socket server;
  };

  asio::awaitable<void> talk(std::shared_ptr<link> through, std::uint16_t target) {
    const tcp::endpoint server(asio::ip::address_v4::loopback(), target);
    co_await through->server.async_connect(server, asio::use_awaitable);
    asio::co_spawn(through->client.get_executor(), pass(through, false), asio::detached);
    co_await pass(through, true);
  }

  asio::awaitable<void> pass(std::shared_ptr<link> through, bool up) {
    auto& from = up ? through->client : through->server;
    auto& to = up ? through->server : through->client;
    std::array<char, 4096> piece;
    for (bool open = true; open;) {
      boost::system::error_code error;
      auto token = asio::redirect_error(asio::use_awaitable, error);
      const auto size = co_await from.async_read_some(asio::buffer(piece), token);
      if (error) break;
      const std::string read(piece.data(), size);
      {
        const std::lock_guard lock(mutex_);
        bytes_ += read;
      }
      open = co_await write_all(to, read);
    }
    boost::system::error_code ignored;
    through->client.close(ignored);
    through->server.close(ignored);
  }

  mutable std::mutex mutex_;
  std::string bytes_;
  listener listener_;
};

} // namespace zklock::test

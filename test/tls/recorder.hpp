#pragma once

#include "running_listener.hpp"

#include <array>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace zklock::test {

/// Relays connections to a port of the loopback interface, and records all bytes, as an attacker in
/// the middle could.
class recorder {
 public:
  explicit recorder(std::uint16_t target)
      : listener_([this, target](tcp::socket client, int number) {
          return talk(std::make_shared<link>(std::move(client), number), target);
        }) {}

  std::string address() const { return listener_.address(); }

  std::string bytes() const {
    const std::lock_guard lock(mutex_);
    return bytes_;
  }

  /// The bytes of the server, for each connection on which it has sent any.
  std::vector<std::string> replies() const {
    const std::lock_guard lock(mutex_);
    std::vector<std::string> all;
    for (const auto& [number, bytes] : replies_)
      all.push_back(bytes);
    return all;
  }

 private:
  struct link {
    link(tcp::socket accepted, int connection)
        : client(std::move(accepted)), server(client.get_executor()), number(connection) {}

    tcp::socket client;
    tcp::socket server;
    const int number;
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
        if (!up) replies_[through->number] += read;
      }
      open = co_await write_all(to, read);
    }
    boost::system::error_code ignored;
    through->client.close(ignored);
    through->server.close(ignored);
  }

  mutable std::mutex mutex_;
  std::string bytes_;
  std::map<int, std::string> replies_;
  running_listener listener_;
};

} // namespace zklock::test

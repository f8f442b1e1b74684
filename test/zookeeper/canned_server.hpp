#pragma once

#include "support/listener.hpp"

#include <array>

namespace zklock::test {

/// Answers each client's first bytes with a fixed text.
class canned_server : public listener {
 public:
  canned_server(asio::io_context& io, std::string answer)
      : listener(io, [answer = std::move(answer)](tcp::socket socket, int) {
          return talk(std::move(socket), answer);
        }) {}

 private:
  static asio::awaitable<void> talk(tcp::socket socket, std::string answer) {
    std::array<char, 256> ignored;
    co_await socket.async_read_some(asio::buffer(ignored), asio::use_awaitable);
    co_await asio::async_write(socket, asio::buffer(answer), asio::use_awaitable);
    // The connection stays open until the client closes it: reading throws then.
    for (;;)
      co_await socket.async_read_some(asio::buffer(ignored), asio::use_awaitable);
  }
};

} // namespace zklock::test

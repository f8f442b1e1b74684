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

#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <string>

namespace zklock::test {

namespace asio = boost::asio;

/// Relays to a server, and makes it refuse deletes as throttled servers do: the relay asks for a
/// version that no node has, and changes the server's answer.
class refusing_relay {
 public:
  refusing_relay(asio::io_context& io, std::uint16_t target)
      : acceptor_(io, {asio::ip::address_v4::loopback(), 0}),
        target_(asio::ip::address_v4::loopback(), target) {
    asio::co_spawn(io, serve(), asio::detached);
  }

  std::string address() const {
    return "127.0.0.1:" + std::to_string(acceptor_.local_endpoint().port());
  }

  /// Refuses this many deletes from now on.
  void refuse(std::size_t count) noexcept { left_ = count; }

  /// The number of deletes refused.
  std::size_t refused() const noexcept { return refused_; }

 private:
  using tcp = asio::ip::tcp;

  static constexpr std::int32_t delete_operation = 2;
  static constexpr std::int32_t no_such_version = 0x7ffffff0;
  static constexpr std::int32_t throttled = -127;

  struct pair {
    explicit pair(tcp::socket accepted)
        : client(std::move(accepted)), server(client.get_executor()) {}

    tcp::socket client;
    tcp::socket server;
    /// The numbers of the requests to refuse.
    std::set<std::int32_t> spoiled{};
  };

  static std::int32_t number_at(const std::string& frame, std::size_t at) {
    std::uint32_t number = 0;
    for (std::size_t i = 0; i < 4; ++i)
      number = number << 8 | static_cast<unsigned char>(frame[at + i]);
    return static_cast<std::int32_t>(number);
  }

  static void put(std::string& frame, std::size_t at, std::int32_t number) {
    for (std::size_t i = 0; i < 4; ++i)
      frame[at + i] = static_cast<char>(static_cast<std::uint32_t>(number) >> (24 - 8 * i));
  }

  asio::awaitable<void> serve() {
    for (;;) {
      const auto ends =
          std::make_shared<pair>(co_await acceptor_.async_accept(asio::use_awaitable));
      boost::system::error_code error;
      co_await ends->server.async_connect(target_,
                                          asio::redirect_error(asio::use_awaitable, error));
      asio::co_spawn(acceptor_.get_executor(), pass(ends, true), asio::detached);
      asio::co_spawn(acceptor_.get_executor(), pass(ends, false), asio::detached);
    }
  }

  // A frame begins with its length. The first frame of each direction has no number.
  asio::awaitable<void> pass(std::shared_ptr<pair> ends, bool up) {
    auto& from = up ? ends->client : ends->server;
    auto& to = up ? ends->server : ends->client;
    boost::system::error_code error;
    auto token = asio::redirect_error(asio::use_awaitable, error);
    for (bool first = true; !error; first = false) {
      std::string frame(4, '\0');
      co_await asio::async_read(from, asio::buffer(frame), token);
      if (error) break;
      frame.resize(4 + static_cast<std::size_t>(number_at(frame, 0)));
      co_await asio::async_read(from, asio::buffer(frame) + 4, token);
      if (error) break;
      if (!first && up) spoil(*ends, frame);
      if (!first && !up) answer(*ends, frame);
      co_await asio::async_write(to, asio::buffer(frame), token);
    }
    ends->client.close(error);
    ends->server.close(error);
  }

  // The frame: length, number, operation; a delete ends in the version.
  void spoil(pair& ends, std::string& frame) {
    if (left_ == 0 || number_at(frame, 8) != delete_operation) return;
    --left_;
    ends.spoiled.insert(number_at(frame, 4));
    put(frame, frame.size() - 4, no_such_version);
  }

  // The frame: length, number, transaction (8 bytes), error.
  void answer(pair& ends, std::string& frame) {
    if (ends.spoiled.erase(number_at(frame, 4)) == 0) return;
    ++refused_;
    put(frame, 16, throttled);
  }

  tcp::acceptor acceptor_;
  tcp::endpoint target_;
  std::size_t left_ = 0;
  std::size_t refused_ = 0;
};

} // namespace zklock::test

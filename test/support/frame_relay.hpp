#pragma once

#include "support/listener.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/redirect_error.hpp>

#include <array>
#include <memory>
#include <utility>

namespace zklock::test {

/// A frame of ZooKeeper's protocol on its way through a `frame_relay`.
struct passing_frame {
  /// Whether it goes to the server.
  bool up = false;
  /// The number of its connection.
  int connection = 0;
  /// Whether it is the first of its direction, which has no xid.
  bool first = false;
  /// The frame without its length.
  std::string bytes{};
};

/// Relays to a server frame by frame. Unlike the relays of `zklock::testing`, it can change frames.
class frame_relay : public listener {
 public:
  /// Called with each frame, which it may change. If it returns bytes, they are sent to the client
  /// instead of the frame, and the connection is closed.
  using guard = std::function<std::optional<std::string>(passing_frame&)>;

  frame_relay(asio::io_context& io, std::uint16_t target, guard each,
              const asio::ip::address& where = asio::ip::address_v4::loopback())
      : listener(
            io,
            [target, each = std::move(each)](tcp::socket client, int number) {
              return talk(std::make_shared<link>(std::move(client), number, each), target);
            },
            where) {}

 private:
  struct link {
    link(tcp::socket accepted, int which, guard sees)
        : client(std::move(accepted)),
          server(client.get_executor()),
          number(which),
          each(std::move(sees)) {}

    tcp::socket client;
    tcp::socket server;
    int number;
    guard each;
    /// The client gets an answer instead of a frame, and then the end.
    bool ends = false;
  };

  static asio::awaitable<void> talk(std::shared_ptr<link> through, std::uint16_t target) {
    const tcp::endpoint server(asio::ip::address_v4::loopback(), target);
    co_await through->server.async_connect(server, asio::use_awaitable);
    asio::co_spawn(through->client.get_executor(), pass(through, false), asio::detached);
    co_await pass(through, true);
  }

  static asio::awaitable<void> pass(std::shared_ptr<link> through, bool up) {
    auto& from = up ? through->client : through->server;
    auto& to = up ? through->server : through->client;
    passing_frame frame{.up = up, .connection = through->number, .first = true};
    for (bool open = true; open; frame.first = false) {
      auto read = co_await read_frame(from);
      if (!read) break;
      frame.bytes = std::move(*read);
      const auto instead = through->each(frame);
      if (instead) {
        co_await end_with(through, with_length(*instead));
        break;
      }
      open = co_await write_all(to, with_length(frame.bytes));
    }
    boost::system::error_code ignored;
    if (!through->ends) through->client.close(ignored);
    through->server.close(ignored);
  }

  // If a socket is closed while requests are unread, TCP resets the connection, and the client can
  // lose the answer. So the frames of the client are read until it closes.
  static asio::awaitable<void> end_with(std::shared_ptr<link> through, std::string answer) {
    through->ends = true;
    boost::system::error_code error;
    through->server.close(error);
    co_await write_all(through->client, answer);
    through->client.shutdown(tcp::socket::shutdown_send, error);
    std::array<char, 4096> unread;
    while (!error)
      co_await through->client.async_read_some(asio::buffer(unread),
                                               asio::redirect_error(asio::use_awaitable, error));
    through->client.close(error);
  }

  static std::string with_length(const std::string& bytes) {
    std::string frame(4, '\0');
    put_int(frame, 0, static_cast<std::int32_t>(bytes.size()));
    return frame + bytes;
  }
};

} // namespace zklock::test

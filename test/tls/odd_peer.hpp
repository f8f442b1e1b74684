#pragma once

#include "running_listener.hpp"
#include "server_engine.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace zklock::test {

/// How a peer behaves.
struct peer_conduct {
  engine_options engine{};
  /// The sizes of a record, and of a write to the socket.
  std::size_t record = 16 * 1024;
  std::size_t write = 1 << 20;
  /// Called before each reply of the server.
  std::function<void(SSL*)> before_reply{};
};

/// Ends TLS in front of a server without TLS, in its own manner.
class odd_peer {
 public:
  odd_peer(std::uint16_t target, peer_conduct conduct)
      : conduct_(std::move(conduct)),
        context_(conduct_.engine),
        listener_([this, target](tcp::socket client, int) {
          client.set_option(tcp::no_delay(true));
          return talk(std::make_shared<link>(std::move(client), context_), target);
        }) {}

  std::string address() const { return listener_.address(); }

  /// The number of connections, and of connections whose TLS session was resumed.
  int connections() const { return connections_; }
  int resumed() const { return resumed_; }
  /// The number of connections that have ended, and whether the client has told the last end.
  int ended() const { return ended_; }
  bool was_end_told() const { return told_end_; }

  /// Ends all connections, with or without telling the client.
  void end(bool notify) {
    asio::post(listener_.io(), [this, notify] {
      for (const auto& each : links_)
        if (const auto open = each.lock()) {
          if (notify) {
            SSL_shutdown(open->engine.get());
            write_to_client(*open);
          }
          close(*open);
        }
    });
  }

 private:
  struct link {
    link(tcp::socket accepted, const server_context& context)
        : client(std::move(accepted)), server(client.get_executor()), engine(context) {}

    tcp::socket client;
    tcp::socket server;
    server_engine engine;
  };

  static void close(link& open) {
    boost::system::error_code ignored;
    open.client.close(ignored);
    open.server.close(ignored);
  }

  // Blocks while the client does not read.
  void write_to_client(link& open) const {
    const auto bytes = open.engine.take();
    boost::system::error_code error;
    for (std::size_t at = 0; at < bytes.size() && !error; at += conduct_.write)
      asio::write(open.client,
                  asio::buffer(bytes.data() + at, std::min(conduct_.write, bytes.size() - at)),
                  error);
  }

  asio::awaitable<void> talk(std::shared_ptr<link> open, std::uint16_t target) {
    links_.push_back(open);
    co_await open->server.async_connect({asio::ip::address_v4::loopback(), target},
                                        asio::use_awaitable);
    asio::co_spawn(open->client.get_executor(), pass_replies(open), asio::detached);
    std::array<char, 16 * 1024> piece;
    boost::system::error_code error;
    auto token = asio::redirect_error(asio::use_awaitable, error);
    for (bool shaken = false; !error && !open->engine.has_failed();) {
      const auto size = co_await open->client.async_read_some(asio::buffer(piece), token);
      const auto plain = open->engine.receive({piece.data(), size});
      write_to_client(*open);
      if (!shaken && open->engine.is_shaken()) {
        shaken = true;
        ++connections_;
        resumed_ += open->engine.is_resumed();
      }
      if (!co_await write_all(open->server, plain)) break;
    }
    told_end_ = open->engine.is_ended();
    ++ended_;
    close(*open);
  }

  asio::awaitable<void> pass_replies(std::shared_ptr<link> open) {
    std::array<char, 16 * 1024> piece;
    boost::system::error_code error;
    auto token = asio::redirect_error(asio::use_awaitable, error);
    // The client ends the connection, once its session is closed.
    for (;;) {
      const auto size = co_await open->server.async_read_some(asio::buffer(piece), token);
      if (error) co_return;
      if (conduct_.before_reply) conduct_.before_reply(open->engine.get());
      open->engine.send({piece.data(), size}, conduct_.record);
      write_to_client(*open);
    }
  }

  const peer_conduct conduct_;
  const server_context context_;
  std::vector<std::weak_ptr<link>> links_;
  std::atomic<int> connections_{0};
  std::atomic<int> resumed_{0};
  std::atomic<int> ended_{0};
  std::atomic<bool> told_end_{false};
  running_listener listener_;
};

} // namespace zklock::test

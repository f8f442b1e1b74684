#pragma once

#include "testing/loopback_listener.hpp"
#include "testing/memory/server_core.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace zklock::testing {

class memory_connection;

/// A server in memory with its sockets and its timer. All functions except `port` must be called on
/// the thread of the context.
class memory_listener final : public std::enable_shared_from_this<memory_listener>,
                              private memory::connections {
 public:
  memory_listener(boost::asio::io_context& context, const memory::session_limits& limits,
                  memory::milliseconds container_check_interval, std::uint16_t port);
  ~memory_listener();

  void open();
  void shut();
  bool is_open() const { return listener_.is_open(); }
  void drop_connections();
  bool expire(std::int64_t session);

  std::uint16_t port() const { return listener_.port(); }
  const memory::znode_tree& tree() const { return core_.tree(); }

  // For connections.
  void received(memory::connection_id connection, std::string_view bytes);
  void closed(memory::connection_id connection);

 private:
  void send(memory::connection_id connection, std::string bytes) override;
  void close(memory::connection_id connection) override;

  void add(boost::asio::ip::tcp::socket client);
  /// Waits until the server has something to do without its clients.
  void wait();

  loopback_listener listener_;
  boost::asio::steady_timer timer_;
  std::optional<std::chrono::steady_clock::time_point> waiting_until_;
  memory::server_core core_;
  std::map<memory::connection_id, std::shared_ptr<memory_connection>> connections_;
  memory::connection_id last_connection_ = 0;
};

} // namespace zklock::testing

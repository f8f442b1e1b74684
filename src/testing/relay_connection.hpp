#pragma once

#include "testing/relay_pipe.hpp"

#include <cstdint>
#include <memory>

namespace zklock::testing {

/// The connection of a client to a relay, and the connection of the relay to the server.
class relay_connection : public std::enable_shared_from_this<relay_connection> {
 public:
  relay_connection(relay_core& core, boost::asio::ip::tcp::socket client, std::uint64_t number);

  /// Connects to the server, then forwards bytes.
  void start() { connect(); }

  /// Closes both connections. With `reset`, resets the connection of the client.
  void close(bool reset);

  /// Ends the silence of this connection, and forwards bytes again.
  void heal();

  // For its pipes.
  relay_core& core() { return *core_; }
  std::uint64_t number() const { return number_; }
  bool is_closed() const { return closed_; }
  bool is_silent() const { return silent_; }
  void silence() { silent_ = true; }
  void set_raw();
  void close_if_finished();

 private:
  void connect();
  void on_connected();
  bool client_has_closed();

  std::shared_ptr<relay_core> core_;
  const std::uint64_t number_;
  boost::asio::ip::tcp::socket client_;
  boost::asio::ip::tcp::socket server_;
  boost::asio::steady_timer retry_;
  relay_core::clock::time_point connect_deadline_;
  outstanding_requests outstanding_;
  relay_pipe to_server_;
  relay_pipe to_client_;
  bool connected_ = false;
  bool closed_ = false;
  bool silent_ = false;
  bool accepted_in_silence_;
};

} // namespace zklock::testing

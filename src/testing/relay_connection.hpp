#pragma once

#include "testing/relay_pipe.hpp"

#include <cstdint>
#include <memory>

namespace zklock::testing {

/// A client's connection with a relay, and the relay's with the server.
class relay_connection : public std::enable_shared_from_this<relay_connection> {
 public:
  relay_connection(relay_core& core, boost::asio::ip::tcp::socket client, std::uint64_t number);

  /// Connects to the server and begins to pass bytes on.
  void start() { connect(); }

  /// Closes both sides; with `reset`, the client's the hard way.
  void close(bool reset);

  /// Ends what `silence` began, and whatever the relay has ended: goes on.
  void heal();

  // For its pipes.
  relay_core& core() { return *core_; }
  std::uint64_t number() const { return number_; }
  bool is_closed() const { return closed_; }
  bool is_silent() const { return silent_; }
  void silence() { silent_ = true; }
  void set_foreign();
  void close_if_finished();

 private:
  void connect();
  void on_connected();
  bool client_has_left();

  std::shared_ptr<relay_core> core_;
  const std::uint64_t number_;
  boost::asio::ip::tcp::socket client_;
  boost::asio::ip::tcp::socket server_;
  boost::asio::steady_timer retry_;
  relay_core::clock::time_point give_up_;
  open_requests open_;
  relay_pipe up_;
  relay_pipe down_;
  bool connected_ = false;
  bool closed_ = false;
  bool silent_ = false;
  bool made_in_silence_;
};

} // namespace zklock::testing

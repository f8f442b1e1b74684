#pragma once

#include "testing/port_reservation.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>

#include <cstdint>
#include <functional>
#include <memory>

namespace zklock::testing {

/// Accepts connections on a port of 127.0.0.1 that stays reserved while it is closed. All functions
/// except `port` must be called on the thread of the context.
class loopback_listener {
 public:
  using accept_handler = std::function<void(boost::asio::ip::tcp::socket)>;

  /// Reserves a port; 0 selects a free port.
  loopback_listener(boost::asio::io_context& context, std::uint16_t port,
                    accept_handler on_accepted);

  /// Accepts connections from now on. Its owner lives until `close` at least. Throws `error` if the
  /// port is taken.
  void open(std::shared_ptr<void> owner);
  void close();

  bool is_open() const { return acceptor_.is_open(); }
  std::uint16_t port() const { return reservation_.port(); }

 private:
  void accept(std::shared_ptr<void> owner);

  port_reservation reservation_;
  boost::asio::ip::tcp::acceptor acceptor_;
  boost::asio::steady_timer retry_;
  accept_handler on_accepted_;
  std::uint64_t closings_ = 0;
};

} // namespace zklock::testing

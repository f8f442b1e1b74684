#pragma once

#include "support/unique_descriptor.hpp"

#include <cstdint>

namespace zklock::testing {

/// Reserves a port of 127.0.0.1 for a socket that listens there at times.
///
/// The reservation is a bound socket that does not listen. Another socket can listen on the port,
/// since both set SO_REUSEADDR. The kernel does not select the port for other sockets, and refuses
/// connections while no socket listens. Without the reservation, a client that keeps connecting to
/// a stopped server would at last connect to itself.
class port_reservation {
 public:
  /// Reserves `port`, or a free port for 0. Throws `error` if the port is taken.
  explicit port_reservation(std::uint16_t port = 0);

  std::uint16_t port() const { return port_; }

 private:
  detail::unique_descriptor socket_;
  std::uint16_t port_ = 0;
};

} // namespace zklock::testing

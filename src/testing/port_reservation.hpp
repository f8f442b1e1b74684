#pragma once

#include "unique_descriptor.hpp"

#include <cstdint>

namespace zklock::testing {

/// Keeps a port of 127.0.0.1 free for a socket that listens there from time to time.
///
/// It is a socket that is bound and never listens. Another socket can listen on the same port,
/// since both allow reuse. Meanwhile the port is given to no other socket by chance, and as long as
/// none listens, connecting to it is refused. Without it a client that tries again and again to
/// reach a stopped server would in the end connect to itself.
class port_reservation {
 public:
  /// Reserves `port`, or a free one for 0. Throws `error` when it is taken.
  explicit port_reservation(std::uint16_t port = 0);

  std::uint16_t port() const { return port_; }

 private:
  detail::unique_descriptor socket_;
  std::uint16_t port_ = 0;
};

} // namespace zklock::testing

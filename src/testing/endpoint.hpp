#pragma once

#include <boost/asio/ip/tcp.hpp>

#include <string>

namespace zklock::testing {

/// Parses a numeric address with a port, such as `127.0.0.1:2181` or `[::1]:2181`. Throws `error`
/// if it is invalid.
boost::asio::ip::tcp::endpoint parse_endpoint(const std::string& text);

/// Returns `127.0.0.1:port`.
inline std::string loopback_address(unsigned port) {
  return "127.0.0.1:" + std::to_string(port);
}

} // namespace zklock::testing

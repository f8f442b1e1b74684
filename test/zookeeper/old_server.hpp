#pragma once

#include "support/frame_relay.hpp"

#include <set>

namespace zklock::test {

/// A relay to a server that hides a part of the protocol. A request of the hidden part is answered
/// by "unimplemented" at once, ahead of earlier answers, and then the connection is closed. All
/// releases from 3.4 on do so (ZooKeeperServer.submitRequest, UnimplementedRequestProcessor).
class old_server : public frame_relay {
 public:
  /// `unknown` has the numbers of the hidden requests.
  old_server(asio::io_context& io, std::uint16_t target, std::set<int> unknown)
      : frame_relay(io, target, [unknown = std::move(unknown)](passing_frame& frame) {
          const bool known = !frame.up || frame.first || !unknown.contains(int_at(frame.bytes, 4));
          return known ? std::nullopt : std::optional(unimplemented(frame.bytes));
        }) {}

 private:
  // The number of the request, no transaction, and the error -6.
  static std::string unimplemented(const std::string& request) {
    return request.substr(0, 4) + std::string(8, '\0') + "\xff\xff\xff\xfa";
  }
};

} // namespace zklock::test

#pragma once

#include <zklock/testing/operation.hpp>
#include <zklock/testing/relay.hpp>

#include <cstdint>
#include <functional>
#include <string_view>

namespace zklock::testing {

/// A frame of ZooKeeper's client protocol in a relay.
struct frame {
  /// The direction of the frame.
  direction way = direction::to_server;

  /// The number of the relay's connection, from 1 on.
  std::uint64_t connection = 0;

  /// The type of the request, or of the request that a reply belongs to.
  operation kind = operation::connect;

  /// The xid, which a request and its reply share. Special frames have fixed values: 0 connect, -1
  /// watch event, -2 ping, -4 auth, -8 set watches.
  std::int32_t xid = 0;

  /// The zxid of a reply; 0 in requests and in connect responses.
  std::int64_t zxid = 0;

  /// ZooKeeper's error code in a reply; 0 without an error, in requests and in connect responses.
  std::int32_t error = 0;

  /// The complete frame without its length. Valid while the predicate runs.
  std::string_view bytes{};
};

/// Selects a frame. Called on the relays' thread for each frame until it returns true. It must not
/// block, throw, or call functions of relays or servers.
using frame_predicate = std::function<bool(const frame&)>;

/// The reaction of a relay to the selected frame.
enum class reaction {
  /// Forwards the frame as usual. A test can wait for the hook.
  observe,
  /// Does not forward the frame. All other bytes pass.
  drop,
  /// Resets the connection instead of forwarding the frame.
  cut_before,
  /// Forwards the frame, then resets the connection.
  cut_after,
  /// Forwards neither the frame nor any later byte, in both directions, until the relay is healed.
  /// The connection stays open.
  silence_before,
  /// Forwards the frame, but no later byte, in both directions, until the relay is healed. The
  /// connection stays open.
  silence_after,
};

} // namespace zklock::testing

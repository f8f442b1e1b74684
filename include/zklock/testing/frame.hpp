#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

namespace zklock::testing {

/// The types of requests in ZooKeeper's protocol, with their numbers on the wire.
enum class operation : std::int32_t {
  /// The type of a reply to a request that the relay has not seen.
  unknown = -1,
  /// A watch event, which a server sends without a request.
  notification = 0,
  /// Creates a node.
  create = 1,
  /// Deletes a node.
  remove = 2,
  /// Reads the stat structure of a node.
  exists = 3,
  /// Reads the data of a node.
  get_data = 4,
  /// Writes the data of a node.
  set_data = 5,
  /// Reads an access control list.
  get_acl = 6,
  /// Writes an access control list.
  set_acl = 7,
  /// Lists children.
  get_children = 8,
  /// Makes the server catch up with the leader.
  sync = 9,
  /// A heartbeat of the client.
  ping = 11,
  /// Lists children, and reads the stat structure of the node.
  get_children2 = 12,
  /// Checks the version of a node, in a transaction.
  check = 13,
  /// A transaction.
  multi = 14,
  /// Creates a node, and returns its stat structure.
  create2 = 15,
  /// Removes watches.
  remove_watches = 18,
  /// Creates a container node.
  create_container = 19,
  /// Creates a node with a time to live.
  create_ttl = 21,
  /// Several reads in one request.
  multi_read = 22,
  /// Adds credentials.
  auth = 100,
  /// Sets watches again after a reconnect.
  set_watches = 101,
  /// A step of SASL authentication.
  sasl = 102,
  /// Lists the ephemeral nodes of the session.
  get_ephemerals = 103,
  /// Sets watches again after a reconnect, persistent ones too.
  set_watches2 = 105,
  /// Adds a persistent watch.
  add_watch = 106,
  /// The first frame of a connection, which creates or resumes a session.
  connect = -10,
  /// Closes the session.
  close_session = -11,
};

/// The two directions through a relay.
enum class direction {
  /// From a client to the server.
  to_server,
  /// From the server to a client.
  to_client,
};

/// One frame of ZooKeeper's client protocol in a relay.
struct frame {
  /// The direction of the frame.
  direction way = direction::to_server;

  /// The number of the relay's connection, from 1 on.
  std::uint64_t connection = 0;

  /// The type of the request, or of the request that a reply belongs to.
  operation kind = operation::connect;

  /// The xid, which is the same in a request and its reply. Special frames have fixed values: 0
  /// connect, -1 watch event, -2 ping, -4 auth, -8 set watches.
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

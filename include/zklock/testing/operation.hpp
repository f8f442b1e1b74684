#pragma once

#include <cstdint>

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

} // namespace zklock::testing

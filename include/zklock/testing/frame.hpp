#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

namespace zklock::testing {

/// The kinds of requests in ZooKeeper's protocol, with the numbers they have on the wire.
enum class operation : std::int32_t {
  /// The kind of a reply to a request that the relay has not seen.
  unknown = -1,
  /// A watch event, which a server sends without a request.
  notification = 0,
  /// Creates a node.
  create = 1,
  /// Deletes a node.
  remove = 2,
  /// Reads the properties of a node.
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
  /// Waits until the server has caught up with the leader.
  sync = 9,
  /// Shows that the client is alive.
  ping = 11,
  /// Lists children, with the properties of the node.
  get_children2 = 12,
  /// Checks the version of a node, in a transaction.
  check = 13,
  /// A transaction.
  multi = 14,
  /// Creates a node, and returns its properties.
  create2 = 15,
  /// Removes watches.
  remove_watches = 18,
  /// Creates a container.
  create_container = 19,
  /// Creates a node with a time to live.
  create_ttl = 21,
  /// Several reads.
  multi_read = 22,
  /// Adds credentials.
  auth = 100,
  /// Sets watches again after a reconnect.
  set_watches = 101,
  /// A step of SASL authentication.
  sasl = 102,
  /// Sets watches again after a reconnect, persistent ones too.
  set_watches2 = 105,
  /// Adds a persistent watch.
  add_watch = 106,
  /// The first frame of a connection, which makes a session or resumes one.
  connect = -10,
  /// Ends the session.
  close_session = -11,
};

/// The two directions through a relay.
enum class direction {
  /// From a client to the server.
  to_server,
  /// From the server to a client.
  to_client,
};

/// One frame of ZooKeeper's client protocol on its way through a relay.
struct frame {
  /// The direction in which it goes.
  direction way = direction::to_server;

  /// The number of the relay's connection that it belongs to, from 1 on.
  std::uint64_t connection = 0;

  /// The kind of the request; in a reply, that of the request it answers.
  operation kind = operation::connect;

  /// The number by which a reply is matched with its request. Negative for what is no request of
  /// the program: -1 watch event, -2 ping, -4 auth, -8 set watches. 0 for connect.
  std::int32_t xid = 0;

  /// The transaction a reply was given after; 0 in requests and in the answer to connect.
  std::int64_t zxid = 0;

  /// ZooKeeper's error code in a reply, 0 for none; 0 in requests and in the answer to connect.
  std::int32_t error = 0;

  /// The whole frame without its length. Valid while the predicate runs.
  std::string_view bytes{};
};

/// Picks a frame. It is called on the thread of the relays for every frame until it returns true:
/// it must not block, must not throw, and must not call functions of relays or servers.
using frame_predicate = std::function<bool(const frame&)>;

/// What a relay does with the frame that a predicate has picked.
enum class reaction {
  /// Passes it on, and nothing else: to wait for it to come by.
  observe,
  /// Cuts the connection; the frame is not passed on. The client sees a reset.
  cut_before,
  /// Passes the frame on and cuts the connection behind it.
  cut_after,
  /// Goes silent before the frame: the connection stays, and no further byte passes on it, either
  /// way, until the relay is healed.
  silence_before,
  /// Passes the frame on and goes silent behind it.
  silence_after,
};

} // namespace zklock::testing

#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

namespace zklock::testing {

/// The kinds of requests in ZooKeeper's protocol, with the numbers they have on the wire.
enum class operation : std::int32_t {
  /// The kind of a reply to a request that the relay has not seen.
  unknown = -1,
  /// A watch event: sent by a server without having been asked.
  notification = 0,
  create = 1,
  remove = 2,
  exists = 3,
  get_data = 4,
  set_data = 5,
  get_acl = 6,
  set_acl = 7,
  get_children = 8,
  sync = 9,
  ping = 11,
  get_children2 = 12,
  check = 13,
  multi = 14,
  create2 = 15,
  remove_watches = 18,
  create_container = 19,
  create_ttl = 21,
  multi_read = 22,
  auth = 100,
  set_watches = 101,
  sasl = 102,
  set_watches2 = 105,
  add_watch = 106,
  /// The first frame of a connection, which makes a session or resumes one.
  connect = -10,
  close_session = -11,
};

/// The two ways through a relay.
enum class direction { to_server, to_client };

/// One frame of ZooKeeper's client protocol on its way through a relay.
struct frame {
  direction way = direction::to_server;

  /// Which connection of the relay it belongs to: they are numbered from 1 on.
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

#pragma once

#include "zookeeper/session.hpp"

#include <string>

namespace zklock::detail {

class client_impl;

/// The first requests of a connection that goes on with a session: a write that changes nothing,
/// and a list of the session's nodes.
///
/// Reads are answered by the one server that they reach, from what it has, and so is a sync where
/// that server leads; a leader that was deposed goes on doing so until it notices. Its answers may
/// lack what this client has seen already: its own entries among it. A write is answered once a
/// quorum has committed it and the server has applied it. The requests of a connection are answered
/// in order: so whatever is read behind this write is no older than what was seen before, and is
/// not answered at all by a server that has no quorum. A new session needs none of this: it was
/// made by such a write.
///
/// Where the servers come back with older data, nodes that the client has deleted may exist again,
/// as nodes of its session. Each of them would block its lock for as long as the session lives. No
/// smaller question finds them all: the servers may have lost the whole life of the node that was
/// deleted last, and brought back a node that was deleted long before. The list is read behind the
/// write, so a server that has not lost a confirmed delete does not show the node. The reply comes
/// in the order of all replies, so a node in the list is:
///
/// - the node of an entry, or of an orphan, whose delete is not confirmed yet,
/// - or a node that a write of a lost connection has made late, in a lock that expects such nodes,
/// - or a node that the client does not know: the program has made it, or servers with older data.
///
/// Names tell nodes of the client from nodes of the program. The quorum then checks the node, since
/// one server alone may show it.
class connection_check final : public zookeeper::receiver {
 public:
  explicit connection_check(client_impl& client) noexcept : client_(client) {}

  /// Must be called before any other request of the connection.
  void send();

  /// Asks for the list again if the servers have refused it on this connection.
  void repeat();

 private:
  void on_reply(zookeeper::request_tag tag, const zookeeper::reply& reply) noexcept override;
  void list_own();
  void listed(const zookeeper::reply& reply);

  client_impl& client_;
  bool is_refused_ = false;
  /// The node of the list that the client does not know.
  std::string unknown_;
};

} // namespace zklock::detail

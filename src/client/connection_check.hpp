#pragma once

#include "client/client_locks.hpp"
#include "client/client_session.hpp"
#include "zookeeper/request.hpp"

#include <string>

namespace zklock::detail {

/// The first requests of a connection that resumes a session: a write that changes nothing, and a
/// list of the session's nodes.
///
/// A server answers a read from its own data, and so does a leader with a sync; a deposed leader
/// goes on doing so until it notices. The data may be older than data that this client has seen
/// already, and may lack the client's own entries. A write is answered once a quorum has committed
/// the write and the server has applied it. The requests of a connection are answered in order: so
/// data that is read behind this write is no older than any data seen before, and a server without
/// a quorum does not answer at all. A new session needs no such check: the session itself was made
/// by a write.
///
/// If the servers come back with older data, nodes that the client has deleted may exist again, as
/// nodes of its session. Each of them would block its lock for as long as the session lives. No
/// smaller request finds all such nodes: the servers may have lost the whole life of the node that
/// was deleted last, and brought back a node that was deleted long before. The list is read behind
/// the write, so a server that has not lost a confirmed delete does not show the node. The reply
/// comes in the order of all replies, so a node in the list is:
///
/// - the node of an entry, or of an orphan, whose delete is not confirmed yet,
/// - or a node that a write of a lost connection has made late, in a lock that expects such nodes,
/// - or a node that the client does not know: the program has made it, or servers with older data.
///
/// Names tell nodes of the client from nodes of the program. The quorum then checks the node, which
/// the connected server alone may have.
class connection_check final : public zookeeper::receiver {
 public:
  connection_check(client_session& session, client_locks& locks) noexcept
      : session_(session), locks_(locks) {}

  /// Must be called before any other request of the connection.
  void send();

  /// Asks for the list again if the servers have refused it on this connection.
  void repeat();

 private:
  void on_reply(zookeeper::request_tag tag, const zookeeper::reply& reply) noexcept override;
  void list_own();
  void listed(const zookeeper::reply& reply);

  client_session& session_;
  client_locks& locks_;
  bool is_refused_ = false;
  /// The node of the list that the client does not know.
  std::string unknown_;
};

} // namespace zklock::detail

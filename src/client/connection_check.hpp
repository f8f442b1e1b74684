#pragma once

#include "zookeeper/session.hpp"

namespace zklock::detail {

class client_impl;

/// The first request of a connection that goes on with a session: a write that changes nothing.
///
/// Reads are answered by the one server that they reach, from what it has, and so is a sync where
/// that server leads; a leader that was deposed goes on doing so until it notices. Its answers may
/// lack what this client has seen already: its own entries among it. A write is answered once a
/// quorum has committed it and the server has applied it. The requests of a connection are answered
/// in order: so whatever is read behind this write is no older than what was seen before, and is
/// not answered at all by a server that has no quorum. A new session needs none of this: it was
/// made by such a write.
class connection_check final : public zookeeper::receiver {
 public:
  explicit connection_check(client_impl& client) noexcept : client_(client) {}

  /// Must be called before any other request of the connection.
  void send();

 private:
  void on_reply(zookeeper::request_tag tag, const zookeeper::reply& reply) noexcept override;

  client_impl& client_;
};

} // namespace zklock::detail

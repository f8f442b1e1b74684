#pragma once

#include "client/client_locks.hpp"
#include "client/client_session.hpp"
#include "zookeeper/request.hpp"

#include <string>
#include <vector>

namespace zklock::detail {

/// The first requests of a connection that resumes a session: a write that changes nothing, and a
/// list of the session's nodes, which shows nodes that servers with older data have brought back.
/// Used on the client's strand only.
class connection_check final : public zookeeper::receiver {
 public:
  connection_check(client_session& session, client_locks& locks) noexcept
      : session_(session), locks_(locks) {}

  /// Must be called before any other request of the connection.
  void send();

  /// Asks for the list if this connection has brought none yet: the servers have refused it, or did
  /// not know it.
  void repeat();

 private:
  void on_reply(zookeeper::request_tag tag, const zookeeper::reply& reply) noexcept override;
  void list_own();
  void listed(const zookeeper::reply& reply);
  void check_next();

  client_session& session_;
  client_locks& locks_;
  bool lacks_list_ = false;
  /// The nodes of the list that the client does not know, and the quorum is still to check. Only
  /// the last node is being checked: a list is repeated only where there was none, so no check is
  /// under way then; and a lost connection answers its requests before the next connection asks.
  std::vector<std::string> unknown_;
};

} // namespace zklock::detail

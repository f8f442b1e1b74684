#pragma once

#include <string>

namespace zklock::zookeeper {

/// A fault of a server, in its messages or in its TLS.
struct server_fault {
  enum class kind {
    /// The reply to the first frame is not in ZooKeeper's protocol.
    not_zookeeper,
    /// The server and the client have found no common TLS.
    tls_failed,
    /// The client has refused the certificate of the server.
    certificate_refused,
    /// The server demands a certificate of the client, or another certificate.
    certificate_demanded,
    /// The granted session timeout is too short for the client.
    session_timeout_too_short,
    /// The session to resume does not exist any more.
    expired,
    /// The server does not know a request, and closes the connection.
    too_old,
    /// The server does not know `list_own`, without which a session does, and closes the
    /// connection.
    does_not_list_own,
    /// The server demands authentication, and closes the connection.
    authentication_required,
    /// The server refuses a request for a reason that is not about the request.
    turned_away,
    /// Any other fault.
    broken,
  };

  kind what;
  /// A sentence with the server as its subject: "it ...".
  std::string text;
};

} // namespace zklock::zookeeper

#pragma once

#include "client/check_list.hpp"
#include "client/check_timing.hpp"
#include "client/client_core.hpp"
#include "client/client_session.hpp"
#include "client/connection_check.hpp"
#include "client/lock_lines.hpp"
#include "zookeeper/request.hpp"

#include <cstddef>

namespace zklock::detail {

/// Keeps the session of a client proven while its locks are in use, finds entries that another
/// client deleted, and nodes for which a waiter waits although only its server has them. Used on
/// the client's strand only. Invariant: the periodic check has at most one request in flight, so
/// each write is sent after the reply to the write before, as the session's validity requires.
class session_checks final : public zookeeper::receiver {
 public:
  session_checks(client_core& core, client_session& session, lock_lines& lines);

  /// Sends the first requests of a connection that resumes a session. Must be called before any
  /// other request of the connection.
  void check_connection() { connection_check_.send(); }

  /// Starts the periodic check of a new connection. With `resumed` the session is older than the
  /// connection, and holds may be in doubt: a client that is in use checks at once.
  void start(bool resumed);

  /// The connection is gone: requests in flight get no answer.
  void stop() noexcept;

 private:
  void on_reply(zookeeper::request_tag tag, const zookeeper::reply& reply) noexcept override;
  void wait();
  void check();
  bool in_use() const noexcept;
  void write();
  void end_in_vain() noexcept;
  void read();
  void nodes_checked(std::size_t count, const zookeeper::reply& reply);
  session_requester& requester() noexcept { return lines_.locks().requester(); }

  client_core& core_;
  client_session& session_;
  lock_lines& lines_;
  const check_timing timing_;
  connection_check connection_check_;
  check_list nodes_;
  client_timer timer_;
  // Whether a round of writes, or of reads while no lock is in use, is under way.
  bool in_round_ = false;
  // How many replies of the round count towards a proven session.
  int answered_ = 0;
};

} // namespace zklock::detail

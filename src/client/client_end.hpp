#pragma once

#include <zklock/error.hpp>

#include "client/acquisition.hpp"
#include "client/client_core.hpp"
#include "client/client_session.hpp"
#include "client/lock_calls.hpp"
#include "client/lock_lines.hpp"
#include "client/open_queries.hpp"
#include "client/operation.hpp"
#include "client/session_checks.hpp"

#include <memory>
#include <vector>

namespace zklock::detail {

/// Ends a client: closed by the program, failed for good, or forked. Used on the client's strand
/// only, except `close`.
///
/// Invariant: a client that is over has no acquisitions and no queries, and none starts any more.
class client_end {
 public:
  client_end(client_core& core, client_session& session, lock_lines& lines, lock_calls& calls,
             open_queries& queries, session_checks& checks) noexcept
      : core_(core),
        session_(session),
        lines_(lines),
        calls_(calls),
        queries_(queries),
        checks_(checks) {}

  client_end(const client_end&) = delete;
  client_end& operator=(const client_end&) = delete;

  /// Closes the client, and completes the operation, if not null. Any thread.
  void close(operation<error_code> op);

  /// The session has failed for good.
  void failed(errc why);

  /// The execution context was notified of a fork, in the child.
  void forked();

  /// The execution context is being destroyed: drops the releases that wait for the close.
  void drop() noexcept;

 private:
  void start_close(operation<error_code> op);
  bool owns_nodes() const noexcept;
  std::vector<std::shared_ptr<acquisition>> end_all(errc why);

  client_core& core_;
  client_session& session_;
  lock_lines& lines_;
  lock_calls& calls_;
  open_queries& queries_;
  session_checks& checks_;
  operation<error_code>::weak_type closing_;
  // Acquisitions whose releases complete when the session is closed.
  std::vector<std::shared_ptr<acquisition>> ending_;
  /// Whether a session that the client gave up may own nodes.
  bool left_behind_ = false;
};

} // namespace zklock::detail

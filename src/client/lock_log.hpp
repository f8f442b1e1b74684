#pragma once

#include <zklock/error.hpp>
#include <zklock/fencing_token.hpp>

#include <chrono>
#include <string>
#include <string_view>

namespace zklock::detail {

class client_core;
class client_session;
struct lock_definition;

// The lines that a client logs of its locks.

/// A hold as the log shows it.
struct logged_hold {
  const lock_definition& lock;
  std::string node;
  fencing_token token;
  std::chrono::steady_clock::time_point since;
};

/// A hold was lost.
void log_lost(client_core& core, const client_session& session, const logged_hold& held,
              error_code why);

/// A body is cancelled: the hold may soon be lost. Any thread; the client's strand logs it.
void log_doubt(client_core& core, const client_session& session, const logged_hold& held);

/// A release request has arrived.
void log_request(client_core& core, const client_session& session, const logged_hold& held,
                 std::string_view requester);

/// This client deleted a node of a participant.
void log_broken(client_core& core, const client_session& session, const lock_definition& lock,
                std::string_view node);

} // namespace zklock::detail

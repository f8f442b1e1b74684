#pragma once

#include <zklock/error.hpp>

#include <string_view>

namespace zklock::detail {

class acquisition;
class client_impl;
struct lock_definition;

// The lines that a client logs of its locks.

/// A hold was lost.
void log_lost(const acquisition& held, error_code why);

/// A body is cancelled: the hold may soon be lost. Any thread; the client's strand logs it.
void log_doubt(const acquisition& held);

/// A release request has arrived.
void log_request(const acquisition& held, std::string_view requester);

/// This client deleted a node of a participant.
void log_broken(client_impl& client, const lock_definition& lock, std::string_view node);

} // namespace zklock::detail

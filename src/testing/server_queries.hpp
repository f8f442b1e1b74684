#pragma once

#include "testing/system_call.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace zklock::testing {

// Queries of the server at an address. They throw `error` without a reply before the deadline.

/// Returns the reply to a four-letter word.
std::string query(const std::string& address, std::string_view word, deadline until);

/// Returns `standalone`, `leader` or `follower`; empty if the server does not serve clients.
std::string query_mode(const std::string& address, deadline until);

/// Returns the counters in a reply to `mntr`.
std::map<std::string, std::string> parse_counters(const std::string& answer);

/// Closes a session. Returns false without such a session.
bool close_session(const std::string& address, std::int64_t session_id, deadline until);

} // namespace zklock::testing

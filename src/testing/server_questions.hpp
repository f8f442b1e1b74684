#pragma once

#include "testing/system_call.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace zklock::testing {

// What can be asked of a server at this address. Each throws `error` when there is no answer.

/// Returns the answer to a four-letter word.
std::string ask(const std::string& address, std::string_view word, deadline until);

/// Returns `standalone`, `leader` or `follower`; empty when the server answers and does not serve.
std::string ask_mode(const std::string& address, deadline until);

/// Returns the counters in an answer to `mntr`.
std::map<std::string, std::string> parse_counters(const std::string& answer);

/// Ends a session; returns false when there is none of this id.
bool end_session(const std::string& address, std::int64_t session_id, deadline until);

} // namespace zklock::testing

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace zklock::cli {

/// Reads ids of sessions in hexadecimal with spaces between them, up to the first part that is
/// none.
std::vector<std::int64_t> parse_sessions(std::string_view text);

/// Returns the identity of a run with the sessions of the runs that it is nested in, the innermost
/// last: `host:412 backup nested in 0x100000000000001 0x100000000000002`. The entry of a run has no
/// other room for them. The outermost sessions are left out where not all fit into an identity: the
/// entries of the inner runs have them.
std::string nested_identity(std::string identity, const std::vector<std::int64_t>& outer);

/// Returns the sessions of the runs that a run with this identity is nested in.
std::vector<std::int64_t> outer_sessions_of(std::string_view identity);

} // namespace zklock::cli

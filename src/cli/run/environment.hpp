#pragma once

#include <zklock/hold.hpp>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace zklock::cli {

/// Names and values of variables that describe the hold to a command.
using variables = std::vector<std::pair<std::string, std::string>>;

/// Returns ZKLOCK_PATH, ZKLOCK_NODE, ZKLOCK_TOKEN and ZKLOCK_SESSION for a hold.
variables describe(const hold& held, const std::string& path, std::int64_t session);

/// Returns the environment of this process with `added`, which replaces the variables of an outer
/// run. ZKLOCK_SESSIONS lists the sessions of the outer runs and of this run.
std::vector<std::string> environment_with(const variables& added, std::int64_t session);

/// Returns the sessions of the runs that this run is nested in.
std::vector<std::int64_t> outer_sessions();

} // namespace zklock::cli

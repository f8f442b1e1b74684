#pragma once

#include "cli/run/inherited_signals.hpp"

#include <sys/types.h>

#include <string>
#include <vector>

namespace zklock::cli {

/// Starts a command, whose standard streams are those of this process. It gets SIGTERM when this
/// process ends. Returns its process id.
///
/// `group` is the process group that it becomes a member of; 0: one of its own.
///
/// Throws `failure` with `exit_code::not_found` or `exit_code::cannot_execute`.
pid_t start_command(std::vector<std::string> command, std::vector<std::string> environment,
                    pid_t group, const inherited_signals& signals);

} // namespace zklock::cli

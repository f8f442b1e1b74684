#pragma once

#include "cli/run/inherited_signals.hpp"

#include <sys/types.h>

#include <string>
#include <vector>

namespace zklock::cli {

/// Starts a command with the standard streams of this process. The command gets SIGTERM when this
/// process ends. Returns the process id of the command.
///
/// `group` is the process group that the command joins; 0: a new group.
///
/// Throws `failure` with `exit_code::not_found` or `exit_code::cannot_execute`.
pid_t start_command(std::vector<std::string> command, std::vector<std::string> environment,
                    pid_t group, const inherited_signals& signals);

} // namespace zklock::cli

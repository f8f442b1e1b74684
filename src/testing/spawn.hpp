#pragma once

#include <sys/types.h>

namespace zklock::testing {

struct child_options;

/// Starts a program and returns its process id. `streams` becomes its standard input and output; -1
/// if they are not piped. Throws `error` if the program cannot be executed.
pid_t spawn(const child_options& options, int streams);

} // namespace zklock::testing

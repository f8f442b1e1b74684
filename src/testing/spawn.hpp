#pragma once

#include <sys/types.h>

namespace zklock::testing {

struct child_options;

/// Starts a program and returns its process id. `streams` becomes its standard input and output;
/// -1 where they are not piped. Throws `error` when the program cannot be executed.
pid_t spawn(const child_options& options, int streams);

} // namespace zklock::testing

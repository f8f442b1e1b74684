#pragma once

#include <sys/types.h>

namespace zklock::testing {

struct child_options;

/// Starts a program, given by its path, and returns its process id. Throws `error` when it cannot
/// be executed.
///
/// The child has a process group of its own, so that an interrupt from the terminal is for the
/// program alone, and none of the program's descriptors: with a copy of a socket, it would keep
/// connections open that the program has closed.
pid_t spawn(const child_options& options);

} // namespace zklock::testing

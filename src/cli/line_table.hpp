#pragma once

#include <zklock/found_lock.hpp>

#include <iosfwd>

namespace zklock::cli {

/// Prints the line of a lock: its path and type, then a table of its holders and waiters, in the
/// order of the queue.
void print_line(std::ostream& out, const found_lock& lock, bool colours);

} // namespace zklock::cli

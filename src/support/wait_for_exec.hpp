#pragma once

#include <unistd.h>

#include <cerrno>

namespace zklock::detail {

/// Waits for the result of an exec in a child, whose end of a pipe exec closes. Returns the errno
/// that the child has written; 0 if exec has closed the pipe.
inline int wait_for_exec(int report) {
  int why = 0;
  ssize_t size;
  do
    size = ::read(report, &why, sizeof why);
  while (size < 0 && errno == EINTR);
  return size == sizeof why ? why : 0;
}

} // namespace zklock::detail

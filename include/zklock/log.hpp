#pragma once

#include <functional>
#include <string_view>

namespace zklock {

/// How much a line in the log matters.
enum class log_level {
  /// An event that is expected: connected, closed.
  info,
  /// A fault that the client mends by itself: connection lost, server unreachable, session expired.
  warning,
  /// A fault that it cannot mend: credentials refused, a request that the servers do not carry out.
  error,
};

/// A function that takes the lines of a client's log. It is called on one of the threads that run
/// the client's executor, never by two at a time for one client. It must not throw and must not
/// block. The line has no newline.
using log_function = std::function<void(log_level level, std::string_view line)>;

} // namespace zklock

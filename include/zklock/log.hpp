#pragma once

#include <functional>
#include <string_view>

namespace zklock {

/// How much a line in the log matters.
enum class log_level {
  /// What went as it should: connected, closed.
  info,
  /// What the client mends by itself: connection lost, server unreachable, session expired.
  warning,
  /// What it cannot mend: credentials refused, a request that the servers will not carry out.
  error,
};

/// Where a client's log goes. It is called on one of the threads that run the client's executor,
/// never by two at a time for one client; it must not throw and must not block. The line carries no
/// newline.
using log_function = std::function<void(log_level level, std::string_view line)>;

} // namespace zklock

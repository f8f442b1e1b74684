#pragma once

#include <functional>
#include <string_view>

namespace zklock {

/// The severity of a line in the log.
enum class log_level {
  /// An expected event: connected, closed.
  info,
  /// A fault that the client corrects by itself: connection lost, server unreachable, session
  /// expired.
  warning,
  /// A fault that the client cannot correct: credentials refused, a request that the servers
  /// refuse.
  error,
};

/// A function that takes the lines of a client's log. It is called on a thread that runs the
/// client's executor, never on two at a time for a client, and not inside a call of the program. It
/// must not throw and must not block. The line has no newline.
///
/// Lines about locks and sessions are a sentence, and fields as logfmt has them:
///
///     lost a lock path=/locks/a reason=session_expired session=0x1000 held_for_s=7.250
///
/// | sentence | level | fields besides `path`, `node`, `session` |
/// | --- | --- | --- |
/// | `lost a lock` | warning | `reason`, an enumerator of `errc`, `token`, `held_for_s` |
/// | `a lock is in doubt` | warning | `token`, `held_for_s`, `valid_for_s` |
/// | `asked to release a lock` | info | `requester`, `token`, `held_for_s` |
/// | `broke a lock` | info | none |
/// | `the session has expired` | warning | `session` only |
/// | `the servers came back with older data, ...` | error | see below |
/// | `connected to ...` | info | `session`, `server`, `new_session`, `session_timeout_ms` |
/// | `the list of servers has changed` | info | `servers` only |
/// | `leaving ..., which is not in the list of servers` | info | `session`, `server` |
///
/// - The line about older data has `session`, `server`, `zxid`, `seen_zxid` or `resurrected` only.
/// - A lock that is lost by closing the client is not logged.
/// - A lock is logged as in doubt when `with_lock` or `election` cancels a body for that reason;
///   later if the client's executor is blocked.
/// - `broke a lock` names a znode that `break_lock` of this client has deleted.
/// - A value is quoted if it is empty or has a space, `=`, a quote, a backslash or a character
///   beyond printable ASCII. In quotes, a backslash precedes quotes and backslashes; a newline is
///   `\n`, and other control characters and line separators are bytes as `\x1b`. So no path and no
///   identity can forge a field or a line.
using log_function = std::function<void(log_level level, std::string_view line)>;

} // namespace zklock

#pragma once

#include <cstdint>

namespace zklock {

/// The state of a client's connection and session.
///
/// | zklock | Curator's ConnectionState | KazooState | locks that are held |
/// | --- | --- | --- | --- |
/// | `connecting` | none | LOST | there are none |
/// | `connected` | CONNECTED, or RECONNECTED after LOST | CONNECTED | there are none |
/// | `suspended` | SUSPENDED | SUSPENDED | in doubt; certain until `hold::valid_until()` |
/// | `reconnected` | RECONNECTED | CONNECTED | held, once the servers confirm the session |
/// | `lost` | LOST | LOST | lost |
/// | `closed` | none | LOST | lost |
///
/// Curator also reports LOST when a session timeout has passed without a connection. A client of
/// zklock then stays `suspended`, since only the servers end a session; `hold::valid_until()` has
/// passed before. Curator's READ_ONLY has no counterpart: the client needs servers with a quorum.
enum class connection_state : std::uint8_t {
  /// There was no connection yet. This state is never reported as a change.
  connecting,
  /// A connection to a new session stands, at the start or after `lost`.
  connected,
  /// The connection is lost; the session may live. The client reconnects by itself.
  suspended,
  /// A connection to the former session stands again.
  reconnected,
  /// The session has expired. The client makes a new session by itself.
  lost,
  /// The client was closed or failed permanently: `errc::authentication_failed`, for example. No
  /// state follows.
  closed,
};

} // namespace zklock

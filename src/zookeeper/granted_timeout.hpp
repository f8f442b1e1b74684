#pragma once

#include <chrono>
#include <string>

namespace zklock::zookeeper {

/// Describes a granted session timeout that differs from the timeout that was asked for. Servers
/// grant at least two of their ticks: a longer timeout shows that their ticks may be longer than
/// `server_tick`.
inline std::string granted_timeout_text(std::chrono::milliseconds asked,
                                        std::chrono::milliseconds granted,
                                        std::chrono::milliseconds server_tick) {
  const auto in_ms = [](std::chrono::milliseconds time) {
    return std::to_string(time.count()) + " ms";
  };
  auto text =
      "the servers granted a session timeout of " + in_ms(granted) + " instead of " + in_ms(asked);
  if (granted > asked && granted > 2 * server_tick)
    text += ": their tickTime is probably " + in_ms(granted / 2) +
            ", but client_options::server_tick, on which hold::valid_until rests, is " +
            in_ms(server_tick);
  return text;
}

} // namespace zklock::zookeeper

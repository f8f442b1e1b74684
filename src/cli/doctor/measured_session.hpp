#pragma once

#include <zklock/client.hpp>

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>

namespace zklock::cli {

/// A session that was made and ended.
struct session_result {
  /// Why there was none.
  error_code error{};
  /// The log line of the client about the failure.
  std::string detail{};
  /// The timeout that the servers granted.
  std::chrono::milliseconds timeout{0};
  /// The TLS of its connection; no value without TLS.
  std::optional<tls_stats> tls{};
  /// From the start to the first reply.
  std::chrono::nanoseconds time{0};
};

/// Makes a session, reads a node, and ends the session. The result is filled in, as by
/// `server_question`.
boost::asio::awaitable<void> try_session(const client_options& wanted, session_result& result);

/// The cost of a lock.
struct lock_cost {
  std::size_t cycles = 0;
  std::chrono::nanoseconds median{0};
  /// The 99th percentile.
  std::chrono::nanoseconds p99{0};
  /// How far the servers' clock is ahead of this machine's; negative where it is behind.
  std::chrono::milliseconds clock_ahead{0};
};

/// Acquires and releases a free mutex so many times in sequence. The mutex has a path of its own
/// below `directory`, and is deleted afterwards. The servers delete `directory` if it is an empty
/// container.
boost::asio::awaitable<lock_cost> measure_lock(client& zk, std::string directory,
                                               std::size_t cycles, std::chrono::milliseconds limit);

} // namespace zklock::cli

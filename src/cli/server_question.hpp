#pragma once

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace zklock::cli {

/// The answer of a server to `srvr` and `conf`.
struct server_answer {
  std::string address;

  /// How long the answer to `srvr` took; no value where there is none.
  std::optional<std::chrono::nanoseconds> time{};

  /// `leader`, `follower`, `observer` or `standalone`; empty where the server does not tell.
  std::string mode{};

  /// Such as `3.8.0`; empty where the server does not tell.
  std::string version{};

  /// Its `tickTime`, where `conf` is allowed.
  std::optional<std::chrono::milliseconds> tick{};

  /// Why there is no answer, or none of use.
  std::string problem{};

  /// The server does not allow `srvr`.
  bool refuses = false;

  /// Whether it serves clients, as far as it tells.
  bool serves() const noexcept { return refuses || !mode.empty(); }
};

/// The parts of `host:port[,host:port]...[/chroot]`.
struct server_addresses {
  std::vector<std::string> addresses{};
  std::string chroot{};
};
server_addresses split_servers(const std::string& servers);

/// Asks the server of this address with the four-letter word `srvr`, which servers allow by
/// default. The answer is filled in: gcc 12 destroys aggregates twice that coroutines return.
boost::asio::awaitable<void> ask_server(server_answer& server, std::chrono::milliseconds limit);

/// Asks a server for its tick with the four-letter word `conf`.
boost::asio::awaitable<void> ask_tick(server_answer& server, std::chrono::milliseconds limit);

} // namespace zklock::cli

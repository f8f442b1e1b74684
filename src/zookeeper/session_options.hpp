#pragma once

#include <zklock/log.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace zklock::zookeeper {

/// A host and port as the user wrote them; `host` is a name or an address without brackets.
struct server_address {
  std::string host;
  std::uint16_t port = 0;
};

/// A list of servers: `host:port[,host:port]...[/chroot]`.
struct server_list {
  std::vector<server_address> servers;
  /// Empty, or an absolute path. All paths of requests must carry it already.
  std::string chroot;
};

struct credential {
  std::string scheme;
  std::string secret;
};

struct access {
  int permissions = 0;
  std::string scheme;
  std::string id;
};

/// The C client computes two thirds of the timeout as `timeout * 2 / 3` with 32 bits.
constexpr std::chrono::milliseconds longest_timeout{(1 << 30) - 1};

struct session_options {
  std::vector<server_address> servers;
  /// At most `longest_timeout`.
  std::chrono::milliseconds timeout{0};
  /// The servers' tickTime, or more.
  std::chrono::milliseconds server_tick{2'000};
  std::vector<credential> credentials;
  /// The access control list of every node that is made.
  std::vector<access> access_list;
  log_function log;
  /// What is wrong with a session timeout that a server grants, which may be nothing; none: nothing
  /// ever is.
  std::function<std::string(std::chrono::milliseconds)> shortcoming{};
};

} // namespace zklock::zookeeper

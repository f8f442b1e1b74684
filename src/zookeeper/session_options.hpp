#pragma once

#include <zklock/log.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace zklock::zookeeper {

/// A host and port of the connection string. `host` is a name, or an address without brackets.
struct server_address {
  std::string host;
  std::uint16_t port = 0;

  bool operator==(const server_address&) const = default;
};

/// A connection string: `host:port[,host:port]...[/chroot]`.
struct server_list {
  std::vector<server_address> servers;
  /// Empty, or an absolute path. The paths of requests must begin with it.
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

/// The C client computes two thirds of the timeout as `timeout * 2 / 3` in 32 bits.
constexpr std::chrono::milliseconds longest_timeout{(1 << 30) - 1};

class rotating_tls;

struct session_options {
  std::vector<server_address> servers;
  /// At most `longest_timeout`.
  std::chrono::milliseconds timeout{0};
  /// An upper bound of the servers' tickTime.
  std::chrono::milliseconds server_tick{2'000};
  std::vector<credential> credentials;
  /// The access control list of each created node.
  std::vector<access> access_list;
  log_function log;
  /// Null: the connections are plain.
  std::shared_ptr<rotating_tls> tls{};
  /// Returns why a granted session timeout is refused; empty to accept it. May be empty: accepts
  /// all.
  std::function<std::string(std::chrono::milliseconds)> refuse_timeout{};
};

} // namespace zklock::zookeeper

#pragma once

#include <zklock/detail/build_settings.hpp>
#include <zklock/export.hpp>
#include <zklock/testing/error.hpp>
#include <zklock/testing/node.hpp>

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <string>

namespace zklock::testing {

/// The options of a `memory_server`. The defaults are those of `server_options`.
struct memory_server_options {
  /// Sessions expire on multiples of this time.
  std::chrono::milliseconds tick_time{500};

  /// The shortest session timeout that a client can get; 0 means two ticks.
  std::chrono::milliseconds min_session_timeout{0};

  /// The longest session timeout that a client can get.
  std::chrono::milliseconds max_session_timeout{60'000};

  /// The interval at which the server deletes empty container nodes.
  std::chrono::milliseconds container_check_interval{60'000};

  /// The port on 127.0.0.1 for clients; 0 selects a free port.
  std::uint16_t port = 0;
};

/// A ZooKeeper server in the process of the test, without Java. It starts in about a millisecond
/// and serves any client that speaks ZooKeeper's protocol, on 127.0.0.1.
///
/// Nodes, versions, sequence numbers, watches, sessions, transactions and access control lists
/// behave as in version 3.8. The server keeps everything in memory: `restart` keeps the nodes and
/// the sessions, the destructor discards them. It has no ensemble, no log and no snapshots, and
/// refuses persistent watches, nodes with a time to live, SASL and TLS. `server` and `ensemble` run
/// ZooKeeper itself, which can be configured for all of them.
///
/// One thread serves the clients. It blocks all signals.
///
/// Thread safety: safe.
class ZKLOCK_EXPORT memory_server {
 public:
  /// Starts the server. Throws `error` if the port is taken.
  explicit memory_server(memory_server_options options = {})
      : memory_server(options, detail::build_settings{}) {}

  /// Stops the server: connections are closed.
  ~memory_server();

  memory_server(const memory_server&) = delete;
  memory_server& operator=(const memory_server&) = delete;

  /// Returns the address for clients: `127.0.0.1:PORT`. It never changes.
  std::string address() const;

  /// Returns the port in `address()`.
  std::uint16_t port() const;

  /// Serves clients after `stop`, with the same nodes and address. Each session gets its whole
  /// timeout again. Does nothing if the server is running. Throws `error` if it cannot listen.
  void start();

  /// Closes all connections. Clients are refused afterwards, and no session expires.
  void stop();

  /// Calls `stop` and `start`.
  void restart();

  /// Returns whether the server serves clients.
  bool running() const;

  /// Closes all connections. Clients can connect again, with the same sessions.
  void drop_connections();

  /// Expires a session: its ephemeral nodes are deleted, and its connection is closed. Its client
  /// sees the expiry when it reconnects. Returns false without such a session.
  bool expire(std::int64_t session_id);

  /// Returns all nodes by their paths, with those of ZooKeeper itself.
  std::map<std::string, node> nodes() const;

 private:
  memory_server(memory_server_options options, detail::build_settings);

  class impl;
  std::unique_ptr<impl> impl_;
};

} // namespace zklock::testing

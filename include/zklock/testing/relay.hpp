#pragma once

#include <zklock/export.hpp>
#include <zklock/testing/operation.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace zklock::testing {

/// The two directions through a relay.
enum class direction {
  /// From a client to the server.
  to_server,
  /// From the server to a client.
  to_client,
};

/// The options of a relay.
struct relay_options {
  /// The port on 127.0.0.1 to listen on; 0 selects a free port.
  std::uint16_t port = 0;

  /// Whether the traffic is ZooKeeper's client protocol. Only then are requests counted.
  bool frames = true;
};

/// Listens on a port of the loopback interface, forwards connections to a server, and breaks them
/// on request.
///
/// All relays of a process share one thread.
///
/// Thread safety: safe.
class ZKLOCK_EXPORT relay {
 public:
  /// Starts forwarding connections to `target`, a numeric address and a port such as
  /// `127.0.0.1:2181`. No server needs to listen there yet. Throws `error` if the address is
  /// invalid or the port to listen on is taken.
  explicit relay(const std::string& target, relay_options options = {});

  /// Resets all connections and stops listening.
  ~relay();

  relay(const relay&) = delete;
  relay& operator=(const relay&) = delete;

  /// Returns the address of the relay: `127.0.0.1:PORT`.
  std::string address() const;

  /// Returns the port of the relay, which is reserved for its whole lifetime.
  std::uint16_t port() const;

  /// Resets all connections. New connections are accepted.
  void cut();

  /// Resets all connections and refuses new ones until `accept` or `heal`.
  void refuse();

  /// Accepts new connections after `refuse`. Throws `error` if the relay cannot listen.
  void accept();

  /// Forwards no byte and no end of a connection, in both directions, until `heal`. Connections
  /// stay open, and new ones are accepted, like after the failure of a cable. `heal` forwards the
  /// bytes sent meanwhile.
  void silence();

  /// Forwards no byte and no end of a connection in one direction, until `heal`.
  void silence(direction way);

  /// Delays each byte that arrives in this direction from now on by `time`; 0 ends that. Bytes that
  /// are delayed already stay so, also after `heal`.
  void delay(direction way, std::chrono::microseconds time);

  /// Ends `refuse`, `silence` and `delay`. Throws `error` if the relay cannot listen.
  void heal();

  /// Returns the number of requests of this type that were forwarded.
  std::uint64_t requests(operation kind) const;

  /// Returns the number of requests that were forwarded, without pings and connect requests.
  std::uint64_t total_requests() const;

  /// Returns the number of replies to requests of this type that were forwarded. With
  /// `operation::notification`, the number of watch events.
  std::uint64_t replies(operation kind) const;

  /// Returns the number of bytes that were forwarded, with the lengths of frames.
  std::uint64_t bytes(direction way) const;

  /// Returns the number of connections that were accepted.
  std::uint64_t accepted() const;

  /// Sets `requests`, `replies`, `bytes` and `accepted` to 0.
  void reset_counts();

  /// Returns the number of open connections.
  std::size_t connections() const;

  /// Blocks until exactly `count` connections are open, for `limit` at most. Throws `error` at the
  /// limit.
  void wait_for_connections(std::size_t count,
                            std::chrono::milliseconds limit = std::chrono::seconds(10)) const;

 private:
  friend class relay_hooks;
  class impl;
  std::unique_ptr<impl> impl_;
};

} // namespace zklock::testing

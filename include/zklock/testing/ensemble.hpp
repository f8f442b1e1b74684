#pragma once

#include <zklock/detail/build_settings.hpp>
#include <zklock/export.hpp>
#include <zklock/testing/server.hpp>
#include <zklock/testing/server_options.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace zklock::testing {

/// A ZooKeeper ensemble. Each member is a `server` that can be stopped, killed, paused and cut off
/// on its own. Relays also carry the traffic between the servers.
///
/// Thread safety: safe.
class ZKLOCK_EXPORT ensemble {
 public:
  /// Starts `size` servers, at least two. Blocks until all of them serve clients. Throws `error` if
  /// Java or the jars are missing, a port is taken, or a server does not serve in time.
  explicit ensemble(std::size_t size = 3, const server_options& options = {})
      : ensemble(size, options, detail::build_settings{}) {}

  /// Kills all servers.
  ~ensemble();

  ensemble(const ensemble&) = delete;
  ensemble& operator=(const ensemble&) = delete;

  /// Returns the number of servers, running or not.
  std::size_t size() const;

  /// Returns the server with this index, from 0 on. Throws `std::out_of_range` without such a
  /// server.
  server& operator[](std::size_t index);

  /// Returns the server with this index, from 0 on. Throws `std::out_of_range` without such a
  /// server.
  const server& operator[](std::size_t index) const;

  /// Returns the connection string of all servers: `127.0.0.1:P1,127.0.0.1:P2,...`.
  std::string addresses() const;

  /// Returns the addresses of all servers for clients with TLS, separated by commas. Throws `error`
  /// without `server_options::tls`.
  std::string secure_addresses() const;

  /// Returns the leader. Blocks until a server leads and serves clients, for `limit` at most.
  /// Throws `error` at the limit. Ignores servers that are cut off or halted: such a server may
  /// still report that it leads.
  server& leader(std::chrono::milliseconds limit = std::chrono::seconds(30));

  /// Returns a follower. Blocks until a server follows and serves clients, for `limit` at most.
  /// Throws `error` at the limit. Ignores servers that are cut off or halted.
  server& follower(std::chrono::milliseconds limit = std::chrono::seconds(30));

  /// Blocks until all servers serve clients, for `limit` per server at most. Throws `error` at the
  /// limit. Ignores servers that are not running, cut off or halted.
  void wait_until_serving(std::chrono::milliseconds limit = std::chrono::seconds(30));

  /// Cuts the links between two servers, given by index, until `heal`. Throws `error` if they are
  /// not two servers of the ensemble.
  void cut_link(std::size_t one, std::size_t other, cut how = cut::silent);

  /// Delays each byte between servers, and between servers and clients without TLS, by `time` from
  /// now on, in both directions; 0 or `heal` ends that. A write through a follower then takes six
  /// times `time` longer.
  void delay(std::chrono::microseconds time);

  /// Ends all cuts and delays of clients and between servers.
  void heal();

  /// Starts all servers that are not running. Blocks until they serve clients. Throws `error` if a
  /// server does not serve in time.
  void start();

  /// Stops all servers. Blocks until they have ended. Throws `error` if a server cannot be killed.
  void stop();

  /// Returns the number of requests of this kind that clients have sent to all servers.
  std::uint64_t requests(operation kind) const;

  /// Returns the number of requests that clients have sent to all servers, without pings and
  /// connect requests.
  std::uint64_t total_requests() const;

  /// Sets `requests` and `total_requests` of all servers to 0.
  void reset_counts();

  /// Expires a session on the leader: its ephemeral nodes are deleted, and its connection is
  /// closed. Its client sees the expiry when it reconnects. Blocks until a server leads, for 30
  /// seconds at most, and then until the session is closed, for 10 seconds at most. Returns false
  /// without such a session. Throws `error` without a leader or a reply in time.
  bool expire(std::int64_t session_id);

 private:
  ensemble(std::size_t size, const server_options& options, detail::build_settings);

  class impl;
  std::unique_ptr<impl> impl_;
};

} // namespace zklock::testing

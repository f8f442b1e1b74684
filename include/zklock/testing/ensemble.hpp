#pragma once

#include <zklock/export.hpp>
#include <zklock/testing/server.hpp>
#include <zklock/testing/server_options.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace zklock::testing {

/// Several ZooKeeper servers that form a quorum. Each is a `server`, which can be stopped, killed,
/// paused and cut off by itself. The traffic between servers goes through relays, too.
///
/// Functions block until they are done, with a deadline, and throw `error` when they fail.
///
/// Thread safety: safe.
class ZKLOCK_EXPORT ensemble {
 public:
  /// Starts `size` servers, at least two, and waits until all of them serve clients. Throws `error`
  /// as the constructor of `server` does.
  explicit ensemble(std::size_t size = 3, const server_options& options = {});

  /// Stops all of them.
  ~ensemble();

  ensemble(const ensemble&) = delete;
  ensemble& operator=(const ensemble&) = delete;

  /// Returns the number of servers, running or not.
  std::size_t size() const;

  /// Returns the server of this index, from 0 on.
  server& operator[](std::size_t index);

  /// Returns the server of this index, from 0 on, to look at.
  const server& operator[](std::size_t index) const;

  /// Returns the addresses of all servers, as clients take them: `127.0.0.1:P1,127.0.0.1:P2,...`.
  std::string addresses() const;

  /// Waits until a server leads and serves, and returns it. A server that was cut off or halted
  /// does not count: it may believe that it still leads.
  server& leader(std::chrono::milliseconds limit = std::chrono::seconds(30));

  /// Waits until a server follows and serves, and returns it; not one that was cut off or halted.
  server& follower(std::chrono::milliseconds limit = std::chrono::seconds(30));

  /// Waits until every server that is running, not halted and not cut off, serves clients.
  void wait_until_serving(std::chrono::milliseconds limit = std::chrono::seconds(30));

  /// Cuts the links between two servers, given by index, until `heal`.
  void cut_link(std::size_t one, std::size_t other, cut how = cut::silent);

  /// Ends every cut, of clients and between servers.
  void heal();

  /// Starts all servers that are not running, and waits until they serve.
  void start();

  /// Stops all servers.
  void stop();

  /// Returns how many requests of this kind clients have sent to all servers together.
  std::uint64_t requests(operation kind) const;

  /// Returns how many requests clients have sent to all servers together, without pings and the
  /// opening of sessions.
  std::uint64_t total_requests() const;

  /// Sets `requests` and `total_requests` of all servers to 0.
  void reset_counts();

  /// Ends a session, by way of any server that serves; see `server::expire`.
  bool expire(std::int64_t session_id);

 private:
  class impl;
  std::unique_ptr<impl> impl_;
};

} // namespace zklock::testing

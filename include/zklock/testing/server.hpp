#pragma once

#include <zklock/detail/build_settings.hpp>
#include <zklock/export.hpp>
#include <zklock/testing/error.hpp>
#include <zklock/testing/operation.hpp>
#include <zklock/testing/relay.hpp>
#include <zklock/testing/server_options.hpp>

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace zklock::testing {

/// A real ZooKeeper server, standalone or a member of an `ensemble`. Clients connect through a
/// relay, which counts their requests and can cut them off.
///
/// The destructor kills the server and removes its temporary files. Both also happen when the
/// program ends for any reason. The output of the server goes to its own log file.
///
/// Thread safety: safe.
class ZKLOCK_EXPORT server {
 public:
  /// Starts a standalone server. Blocks until it serves clients, for
  /// `server_options::start_timeout` at most. Throws `error` at that limit, or if Java or the jars
  /// are missing, the port is taken, or the server ends.
  explicit server(server_options options = {})
      : server(std::move(options), detail::build_settings{}) {}

  /// Kills the server.
  ~server();

  server(const server&) = delete;
  server& operator=(const server&) = delete;

  /// Returns the address for clients: `127.0.0.1:PORT`. It never changes.
  std::string address() const;

  /// Returns the port in `address()`.
  std::uint16_t port() const;

  /// Returns the address of the server itself, without the relay, for example for benchmarks.
  /// Connections to it are neither counted nor cut.
  std::string direct_address() const;

  /// Returns the address for clients with TLS: `127.0.0.1:PORT`. It never changes. Throws `error`
  /// without `server_options::tls`.
  std::string secure_address() const;

  /// Returns the relay between clients with TLS and the server. It counts no requests, which it
  /// cannot read. Throws `error` without `server_options::tls`.
  relay& secure_clients();

  /// Starts the server after `stop` or `kill`, with the same data and address. Does nothing if it
  /// is running. Blocks until a standalone server serves clients, or a member of an ensemble
  /// replies; see `ensemble::wait_until_serving`. Throws `error` if it ends or does not reply in
  /// time.
  void start();

  /// Ends the server by `SIGTERM`, or by `SIGKILL` after `limit`. Blocks until it has ended.
  /// Clients are refused afterwards. Throws `error` if the server cannot be killed.
  void stop(std::chrono::milliseconds limit = std::chrono::seconds(5));

  /// Ends the server by `SIGKILL`, like a crash. Blocks until it has ended. Clients are refused
  /// afterwards. Throws `error` if the server cannot be killed.
  void kill();

  /// Calls `stop` and `start`. Blocks and throws like both of them.
  void restart();

  /// Halts the process: connections stay open, and the server does not reply. Blocks until it is
  /// halted. Throws `error` if the server is not running.
  void pause();

  /// Continues a halted process.
  void resume();

  /// Returns whether the process exists, halted or not.
  bool running() const;

  /// Returns the process id, for messages; 0 if the server is not running.
  pid_t process_id() const;

  /// Cuts the server off from its clients until `heal`.
  void cut_from_clients(cut how = cut::closed);

  /// Cuts the server off from the other servers of its ensemble until `heal`. With `cut::silent`, a
  /// follower replies to pings and reads for up to `server_options::sync_limit` ticks. Throws
  /// `error` if the server is standalone.
  void cut_from_peers(cut how = cut::silent);

  /// Ends all cuts, and each silence and delay of `clients()` and `secure_clients()`.
  void heal();

  /// Returns the relay between the clients and the server.
  relay& clients();

  /// Returns the number of requests of this type that clients have sent.
  std::uint64_t requests(operation kind) const;

  /// Returns the number of requests that clients have sent, without pings and connect requests.
  std::uint64_t total_requests() const;

  /// Sets `requests` and `total_requests` to 0.
  void reset_counts();

  /// Expires a session: its ephemeral nodes are deleted, and its connection is closed. Its client
  /// sees the expiry when it reconnects. Blocks until the session is closed, for 10 seconds at
  /// most. Returns false without such a session. Throws `error` without a reply in time.
  bool expire(std::int64_t session_id);

  /// Sends a four-letter word and returns the reply: `srvr`, `cons`, `dump` (sessions and their
  /// ephemeral nodes), `wchc` and `wchp` (watches by session and by path), and others. Does not use
  /// the relay. Blocks for 10 seconds at most. Throws `error` without a reply in time.
  std::string four_letter_word(std::string_view word) const;

  /// Returns the server's counters, which are the reply to `mntr`. Blocks for 10 seconds at most.
  /// Throws `error` without a reply in time.
  std::map<std::string, std::string> counters() const;

  /// Returns a counter, rounded to an integer, for example `zk_watch_count`. Blocks for 10 seconds
  /// at most. Throws `error` without a counter of this name, or without a reply in time.
  std::int64_t counter(const std::string& name) const;

  /// Returns `standalone`, `leader` or `follower`; empty if the server does not serve clients.
  /// Blocks for 10 seconds at most. Throws `error` without a reply in time.
  std::string mode() const;

  /// Returns the folder of the data, the configuration and the log.
  std::filesystem::path data_directory() const;

  /// Returns the last lines of the log.
  std::string log_tail(std::size_t lines = 30) const;

 private:
  friend class ensemble;
  class impl;
  server(server_options options, detail::build_settings);
  explicit server(std::unique_ptr<impl> member);
  std::unique_ptr<impl> impl_;
};

} // namespace zklock::testing

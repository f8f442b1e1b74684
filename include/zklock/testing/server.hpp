#pragma once

#include <zklock/export.hpp>
#include <zklock/testing/error.hpp>
#include <zklock/testing/frame.hpp>
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

namespace zklock::testing {

/// A real ZooKeeper server, alone or as part of an `ensemble`. Clients reach it through a relay,
/// which counts what they ask for and can cut them off.
///
/// The server is stopped and its temporary files are removed by the destructor, and also when the
/// program dies in whatever way. It writes to nothing but a log file of its own.
///
/// Functions block until they are done, with a deadline, and throw `error` when they fail.
///
/// Thread safety: safe.
class ZKLOCK_EXPORT server {
 public:
  /// Starts a server of its own and waits until it serves clients. Throws `error` when Java or the
  /// jars are missing, the port is taken, or the server ends or does not answer in time.
  explicit server(server_options options = {});

  /// Stops it.
  ~server();

  server(const server&) = delete;
  server& operator=(const server&) = delete;

  /// Returns what a client connects to: `127.0.0.1:PORT`. It never changes.
  std::string address() const;

  /// Returns the port in `address()`.
  std::uint16_t port() const;

  /// Returns the server's own address, behind the relay: for benchmarks. What goes there is not
  /// counted and cannot be cut.
  std::string direct_address() const;

  /// Starts it again after `stop` or `kill`, with the same data and the same address. A server of
  /// its own serves clients then; in an ensemble, see `ensemble::wait_until_serving`. Does nothing
  /// when it is running.
  void start();

  /// Asks it to end, and kills it if it has not within `limit`. Clients are refused then.
  void stop(std::chrono::milliseconds limit = std::chrono::seconds(5));

  /// Ends it at once, as a crash would.
  void kill();

  /// Does `stop` and `start`.
  void restart();

  /// Halts the process: connections stay and nothing answers.
  void pause();

  /// Lets a halted process go on.
  void resume();

  /// Returns whether the process exists, halted or not.
  bool running() const;

  /// Returns the process id, for messages; 0 when it is not running.
  pid_t process_id() const;

  /// Cuts it off from its clients until `heal`.
  void cut_from_clients(cut how = cut::closed);

  /// Cuts it off from the other servers of its ensemble until `heal`. With `cut::silent` a follower
  /// goes on answering its clients' pings and reads for up to `sync_limit` ticks. Throws `error`
  /// when there are no others.
  void cut_from_peers(cut how = cut::silent);

  /// Ends every cut, and every silence and delay of `clients()`.
  void heal();

  /// Returns the relay that its clients come through.
  relay& clients();

  /// Returns how many requests of this kind clients have sent.
  std::uint64_t requests(operation kind) const;

  /// Returns how many requests clients have sent, without pings and the opening of sessions.
  std::uint64_t total_requests() const;

  /// Sets `requests` and `total_requests` to 0.
  void reset_counts();

  /// Ends a session on the server, as if it had timed out: its ephemeral nodes are deleted, its
  /// connection is closed, and its client is told that it expired when it connects again. Returns
  /// false when the server knows no such session.
  bool expire(std::int64_t session_id);

  /// Returns the server's answer to one of its four-letter words, such as `srvr`, `cons`, `dump`
  /// (sessions and their ephemeral nodes), `wchc` and `wchp` (watches by session and by path). It
  /// is not sent through the relay.
  std::string four_letter_word(std::string_view word) const;

  /// Returns the server's own counters, from `mntr`.
  std::map<std::string, std::string> counters() const;

  /// Returns one of them, rounded to a whole number, for example `zk_watch_count`. Throws `error`
  /// when there is none of this name.
  std::int64_t counter(const std::string& name) const;

  /// Returns `standalone`, `leader` or `follower`; empty while it does not serve.
  std::string mode() const;

  /// Returns the folder of its data, its configuration and its log.
  std::filesystem::path data_directory() const;

  /// Returns the last lines of its log.
  std::string log_tail(std::size_t lines = 30) const;

 private:
  friend class ensemble;
  class impl;
  explicit server(std::unique_ptr<impl> member);
  std::unique_ptr<impl> impl_;
};

} // namespace zklock::testing

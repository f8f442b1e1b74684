#pragma once

#include <zklock/export.hpp>
#include <zklock/testing/error.hpp>
#include <zklock/testing/node.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace zklock::testing {

/// The password of a session.
using session_password = std::array<std::byte, 16>;

/// Returns the password that ZooKeeper's servers give to the session of this id.
ZKLOCK_EXPORT session_password password_of(std::int64_t session_id);

/// The options of a `raw_client`.
struct raw_client_options {
  /// The session timeout to ask for. The client sends pings only in `ping()`: the session ends when
  /// no request is sent for this long.
  std::chrono::milliseconds session_timeout{30'000};

  /// How long each function may take.
  std::chrono::milliseconds limit{10'000};

  /// The session to resume; 0 makes a new one.
  std::int64_t session_id = 0;
};

/// A server's answer that is an error.
class ZKLOCK_EXPORT server_error : public error {
 public:
  /// Makes an error with ZooKeeper's error code.
  server_error(const std::string& what, int code);
  ~server_error() override;

  /// Returns ZooKeeper's error code: -101 no node, -102 no permission, -103 bad version, -108 no
  /// children for ephemerals, -110 node exists, -111 not empty, -112 session expired.
  int code() const noexcept { return code_; }

 private:
  int code_;
};

/// The session that was to be resumed does not exist any more.
class ZKLOCK_EXPORT session_gone : public error {
 public:
  using error::error;
  ~session_gone() override;
};

/// A ZooKeeper client of few lines that shares no code with the one under test: an independent
/// witness in tests, and a foreign client. It has one blocking connection and never reconnects.
///
/// Functions throw `server_error` when the server refuses, and `error` when the connection is lost
/// or the deadline passes; nothing but destroying the client makes sense after the latter.
///
/// Thread safety: distinct objects are safe, a shared one is not.
class ZKLOCK_EXPORT raw_client {
 public:
  /// Connects to `address`, a numeric address and a port, and makes or resumes a session. Throws
  /// `session_gone` when the session to resume does not exist.
  explicit raw_client(const std::string& address, raw_client_options options = {});

  /// Closes the session, without waiting long for an answer.
  ~raw_client();

  /// Takes over the session of another client.
  raw_client(raw_client&& other) noexcept;

  /// Closes the session, then takes over that of another client.
  raw_client& operator=(raw_client&& other) noexcept;

  /// Returns the id of the session.
  std::int64_t session_id() const noexcept;

  /// Returns the timeout that the server granted.
  std::chrono::milliseconds session_timeout() const noexcept;

  /// Creates a node and returns its path, with its number if it is a sequential one.
  std::string create(const std::string& path, std::string_view data = {},
                     create_mode mode = create_mode::persistent,
                     const std::vector<access>& acl = {open_access()});

  /// Creates the persistent nodes that are missing on the way to `path`, and that one.
  void create_all(const std::string& path);

  /// Deletes a node of this version; -1 for any.
  void remove(const std::string& path, std::int32_t version = -1);

  /// Deletes a node and all below it; nothing if there is none.
  void remove_all(const std::string& path);

  /// Returns what is known about a node; nothing if it does not exist.
  std::optional<node_stat> exists(const std::string& path, bool watch = false);

  /// Returns a node with its data.
  node get(const std::string& path, bool watch = false);

  /// Replaces a node's data.
  node_stat set(const std::string& path, std::string_view data, std::int32_t version = -1);

  /// Returns the names of a node's children, sorted.
  std::vector<std::string> children(const std::string& path, bool watch = false);

  /// Waits until the server has caught up with its leader.
  void sync(const std::string& path = "/");

  /// Shows that the client is alive, and waits for the server's answer.
  void ping();

  /// Adds credentials to the connection: scheme `digest` takes `user:password`.
  void add_auth(const std::string& scheme, std::string_view credentials);

  /// Waits for a watch to fire, `limit` at most; nothing if none did.
  std::optional<watch_event> next_event(std::chrono::milliseconds limit);

  /// Sends any request and returns the body of the reply, both as they are on the wire, behind
  /// their headers. Throws `server_error` when the reply says so.
  std::string request(std::int32_t kind, std::string_view body);

  /// Closes the session: its ephemeral nodes are gone when this returns.
  void close();

  /// Drops the connection and leaves the session alone, as a client that crashed does.
  void abandon() noexcept;

 private:
  class impl;
  std::unique_ptr<impl> impl_;
};

} // namespace zklock::testing

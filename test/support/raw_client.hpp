#pragma once

#include <zklock/testing/error.hpp>
#include <zklock/testing/node.hpp>
#include <zklock/testing/operation.hpp>

#include "testing/access.hpp"
#include "testing/session_password.hpp"
#include "testing/wire_session.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace zklock::testing {

/// The create modes of nodes, with their numbers on the wire.
enum class create_mode : std::int32_t {
  /// Exists until it is deleted.
  persistent = 0,
  /// Is deleted when its session ends.
  ephemeral = 1,
  /// Exists until it is deleted; the server appends a sequence number to its name.
  persistent_sequential = 2,
  /// Is deleted when its session ends; the server appends a sequence number to its name.
  ephemeral_sequential = 3,
  /// The servers delete it some time after its last child is deleted.
  container = 4,
};

/// A watch event.
struct watch_event {
  /// 1 created, 2 deleted, 3 data changed, 4 children changed.
  std::int32_t type = 0;
  /// The path of the node.
  std::string path{};
};

/// The options of a `raw_client`.
struct raw_client_options {
  /// The requested session timeout; servers grant at most their `max_session_timeout`. The client
  /// sends no heartbeats except by `ping()`: the session expires when no request is sent for the
  /// granted time.
  std::chrono::milliseconds session_timeout = std::chrono::hours(1);

  /// The time limit of each function.
  std::chrono::milliseconds limit{10'000};

  /// The session to resume; 0 for a new session.
  std::int64_t session_id = 0;
};

/// An error in a server's reply.
class server_error : public error {
 public:
  /// Constructs an error with ZooKeeper's error code.
  server_error(const std::string& what, int code) : error(what), code_(code) {}

  /// Returns ZooKeeper's error code: -101 no node, -102 no permission, -103 bad version, -108 no
  /// children for ephemerals, -110 node exists, -111 not empty, -112 session expired.
  int code() const noexcept { return code_; }

 private:
  int code_;
};

/// The session to resume has expired or was closed.
class session_gone : public error {
 public:
  using error::error;
};

/// A small blocking ZooKeeper client that shares no code with the library but the encoding of
/// numbers and texts: an independent observer, or a client of another program. The client has a
/// single connection and never reconnects.
///
/// Each request blocks until its reply, for `raw_client_options::limit` at most. It throws
/// `server_error` if the reply is an error. It throws `error` if the connection is lost or the
/// limit passes: the client must not be used after that, only destroyed.
///
/// Thread safety: distinct objects are safe, a shared object is unsafe.
class raw_client {
 public:
  /// Connects to `address`, a numeric address and a port, and creates or resumes a session. Blocks
  /// until the session is established. Throws `session_gone` if the session to resume does not
  /// exist, and `error` if the server does not reply in time.
  explicit raw_client(const std::string& address, raw_client_options options = {});

  /// Closes the session. Blocks for a second at most.
  ~raw_client();

  /// Moves the session of another client.
  raw_client(raw_client&& other) noexcept = default;

  /// Closes the session, then takes the session of `other`. Blocks for a second at most.
  raw_client& operator=(raw_client&& other) noexcept;

  /// Returns the session id.
  std::int64_t session_id() const noexcept { return session_.session_id; }

  /// Returns the granted session timeout.
  std::chrono::milliseconds session_timeout() const noexcept { return session_.timeout; }

  /// Creates a node and returns its path, with the sequence number if it is sequential.
  std::string create(const std::string& path, std::string_view data = {},
                     create_mode mode = create_mode::persistent,
                     const std::vector<access>& acl = {open_access()});

  /// Creates the persistent node `path` and its missing parents.
  void create_all(const std::string& path);

  /// Deletes a node if it has this version; -1 for any.
  void remove(const std::string& path, std::int32_t version = -1);

  /// Deletes a node and its descendants. Does nothing if the node does not exist.
  void remove_all(const std::string& path);

  /// Returns the stat structure of a node; nothing if the node does not exist.
  std::optional<node_stat> exists(const std::string& path, bool watch = false);

  /// Returns a node with its data.
  node get(const std::string& path, bool watch = false);

  /// Replaces a node's data if the node has this version; -1 for any. Returns the new stat
  /// structure.
  node_stat set(const std::string& path, std::string_view data, std::int32_t version = -1);

  /// Returns the names of a node's children, sorted.
  std::vector<std::string> children(const std::string& path, bool watch = false);

  /// Makes a server that follows catch up with the leader. At the leader it is no barrier: a
  /// follower may have applied a write that the leader has yet to apply.
  void sync(const std::string& path = "/");

  /// Sends a heartbeat.
  void ping();

  /// Adds credentials to the connection: scheme `digest` takes `user:password`.
  void add_auth(const std::string& scheme, std::string_view credentials);

  /// Returns the next watch event. Blocks until an event arrives, for `limit` at most. Returns
  /// nothing at the limit.
  std::optional<watch_event> next_event(std::chrono::milliseconds limit);

  /// Sends a request of any type, and returns the body of the reply. Both bodies are in the
  /// encoding of the wire, without headers.
  std::string request(std::int32_t kind, std::string_view body);

  /// Closes the session: its ephemeral nodes are deleted when the function returns.
  void close();

  /// Closes the connection without closing the session, like a crash of the client.
  void abandon() noexcept { wire_.reset(); }

 private:
  /// Sends a request, waits for its reply and returns the reply's body. `what` is for messages.
  std::string call(std::int32_t xid, std::int32_t kind, std::string_view body,
                   const std::string& what, deadline until);
  std::string call(operation kind, std::string_view body, const std::string& what);

  /// Returns the next reply, and keeps the events before it.
  std::string receive_reply(deadline until);

  /// Keeps a frame if it is an event. Returns whether it is an event.
  bool keep_event(std::string_view received);

  wire_session& wire();
  deadline soon() const { return deadline(limit_); }

  std::chrono::milliseconds limit_;
  /// Null after `close` and `abandon`.
  std::unique_ptr<wire_session> wire_;
  connect_response session_;
  std::int32_t last_xid_ = 0;
  std::deque<watch_event> events_;
};

} // namespace zklock::testing

#pragma once

#include "testing/memory/codec.hpp"
#include "testing/memory/frames.hpp"
#include "testing/memory/session_table.hpp"
#include "testing/memory/watch_table.hpp"
#include "testing/memory/znode_tree.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace zklock::testing::memory {

/// Now: by a clock that never goes back, and since 1970.
struct instant {
  milliseconds elapsed = 0;
  milliseconds wall = 0;
};

/// The connections of a server, to which it sends and which it closes.
class connections {
 public:
  virtual void send(connection_id connection, std::string bytes) = 0;
  /// Closes a connection after all bytes that were sent. The server does not use it again.
  virtual void close(connection_id connection) = 0;

 protected:
  ~connections() = default;
};

/// A server without an ensemble: bytes of clients in, bytes for clients out. It has no clock and no
/// sockets.
class server_core {
 public:
  server_core(const session_limits& limits, milliseconds container_check_interval,
              std::int64_t first_session_id, connections& out);

  /// Adds a connection from a numeric address.
  void open(connection_id connection, const std::string& host);

  void receive(connection_id connection, std::string_view bytes, const instant& now);

  /// Removes a connection that the client has closed.
  void closed(connection_id connection);

  /// Expires sessions and deletes empty containers.
  void advance(const instant& now);

  /// Returns when `advance` is due.
  milliseconds next_advance() const;

  /// Closes a session as if it had expired. Returns false without such a session.
  bool expire(std::int64_t session, const instant& now);

  /// Closes all connections. Their sessions stay open.
  void drop_connections();

  /// Lets all sessions begin again with their timeouts, like a server that has just started.
  void restart(const instant& now);

  const znode_tree& tree() const { return tree_; }

 private:
  /// A connection, which has a session after its first frame.
  struct client {
    std::string host{};
    frame_splitter frames{};
    std::optional<connect_request> connected{};
    std::int32_t timeout = 0;
    session_info session{};
  };

  /// Handles a frame or a word. Returns false without a complete frame or word.
  bool handle_next(connection_id connection, const instant& now);
  void connect(connection_id connection, const connect_request& request, const instant& now);
  void handle(connection_id connection, const request& request, const instant& now);
  void answer(connection_id connection, std::int32_t xid, const local_request& request);
  void answer(connection_id connection, std::int32_t xid, const ping_request& request);
  void answer(connection_id connection, std::int32_t xid, const sync_request& request);
  void answer(connection_id connection, std::int32_t xid, const auth_request& request);
  void answer(connection_id connection, std::int32_t xid, const set_watches_request& request);
  void answer(connection_id connection, std::int32_t xid, const find_watch_request& request);
  void answer(connection_id connection, std::int32_t xid, const whoami_request& request);
  void answer(connection_id connection, std::int32_t xid, const unsupported_request& request);
  void answer(connection_id connection, std::int32_t xid, const malformed_request& request);
  void reply(connection_id connection, std::int32_t xid, code error, const reply_body& body = {});

  outcome apply(const write_request& request, const session_info& session, const instant& now);
  void end_session(std::int64_t session, const instant& now);
  void close(connection_id connection);
  std::optional<connection_id> connection_of(std::int64_t session) const;
  std::string answer_word(const std::string& word) const;
  std::string watches_by_path() const;

  connections* out_;
  session_table sessions_;
  milliseconds container_check_interval_;
  milliseconds next_container_check_ = 0;
  znode_tree tree_;
  watch_table watches_;
  std::map<connection_id, client> clients_;
};

} // namespace zklock::testing::memory

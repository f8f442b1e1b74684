#pragma once

#include <zklock/clock.hpp>
#include <zklock/error.hpp>
#include <zklock/stats.hpp>

#include "zookeeper/executor.hpp"
#include "zookeeper/request.hpp"
#include "zookeeper/session_options.hpp"
#include "zookeeper/session_owner.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace zklock::zookeeper {

class session_core;

/// A session with an ensemble: connects, reconnects, and creates a new session after an expiry.
///
/// All functions must be called on the strand. Requests may be sent between `on_connected` and
/// `on_disconnected`. Requests reach the servers, and replies the receivers, in the order of the
/// calls. A request that may be combined is held back until the handlers that are ready have run,
/// and is sent together with their requests.
///
/// Each connection uses a new handle of the C client with a single address and the session's id and
/// password. So each connection resolves the names and adds the credentials again. The reconnection
/// of the C client is not used: it can lose a connection silently (ZOOKEEPER-4210) and its
/// SetWatches packet is unbounded (ZOOKEEPER-706).
///
/// Some servers and proxies answer the request for a session that is gone with a new session. After
/// `on_expired`, the new session takes its place.
///
/// The session belongs to the process in which it was made. In the child of a fork, `close` and
/// `abandon` have no effect on the servers and on the parent.
class session : public std::enable_shared_from_this<session> {
 public:
  static std::shared_ptr<session> make(strand executor, session_options options,
                                       session_owner& owner);
  ~session();

  session(const session&) = delete;
  session& operator=(const session&) = delete;

  /// Starts connecting.
  void start();

  /// Replaces the list of servers. A connection or an attempt whose server is in the list stays.
  /// Otherwise the session moves at once, as after a lost connection: `on_disconnected` follows,
  /// then the next connection. Until the names of the list are looked up, the connection stays.
  void set_servers(std::vector<server_address> servers);

  /// Sends a request, whose reply is delivered to `to`.
  void send(const request& what, receiver& to, request_tag tag);

  /// Removes all watches of this kind on a path that earlier requests have set. The reply is not
  /// delivered.
  void remove_watch(const std::string& path, watch_kind kind);

  /// Makes the server catch up with the leader before the requests that follow. The reply is not
  /// delivered: the next reply confirms it.
  void sync(const std::string& path);

  /// The time before which the session cannot have expired; the clock's minimum without a session.
  boot_clock::time_point valid_until() const noexcept;

  /// The earliest time at which a write can extend `valid_until`.
  boot_clock::time_point useful_from() const noexcept;

  /// Drops the connection to an unusable server, and logs why. No reply is delivered any more.
  /// `on_disconnected` follows, then the next connection.
  void reject_server(std::string why);

  /// Ends the session: the servers have a node again that they had deleted, so their data is older
  /// than the client has seen. No reply is delivered any more. `on_rolled_back` follows, not inside
  /// this call.
  void reject_data(std::string resurrected);

  /// Whether `list_own` may be of use: servers older than 3.6.0 do not know it, and end the
  /// connection. It is then of no use for a minute, and for twice as long each time up to an hour.
  bool lists_own() const noexcept;

  /// The granted session timeout, or the requested session timeout before the first connection.
  std::chrono::milliseconds timeout() const noexcept;

  bool connected() const noexcept;

  /// The largest size of a transaction of combined writes. It is halved where a server may have
  /// found a transaction too large.
  std::size_t most_bytes() const noexcept;

  /// Whether the servers have replied to a request of the session.
  bool answered() const noexcept;

  /// The session id; 0 without a session.
  std::int64_t id() const noexcept;

  /// The result of the last connection or attempt:
  ///
  /// - `not_connected`: no other error.
  /// - `not_zookeeper`: the address does not speak ZooKeeper's protocol.
  /// - `tls_failed`: the server does not speak TLS at that port, or no common version or cipher.
  /// - `certificate_refused`: the client refuses the certificate of the server.
  /// - `certificate_demanded`: the server demands a certificate of the client, or another.
  /// - `session_timeout_too_short`: the granted session timeout is too short.
  /// - `server_too_old`: the server does not know a request.
  /// - `authentication_failed`: the server demands other credentials.
  errc connect_error() const noexcept;

  /// The TLS of the connection; nothing without a connection or without TLS.
  std::optional<tls_stats> tls() const;

  /// Closes the session: the servers delete its ephemeral nodes, and the owner is not called any
  /// more. Then posts `done` to the strand. The result is success if the servers have confirmed the
  /// close, or without a session. The result is `not_connected` without a connection or a reply:
  /// the session then expires. The blocking part of the close runs on a thread of its own.
  void close(std::function<void(error_code)> done);

  /// Releases everything without posting to the executor, which is being destroyed. A connected
  /// session is closed on a thread of its own, except in the child of a fork.
  void abandon() noexcept;

 private:
  explicit session(std::shared_ptr<session_core> core);

  // Null after `abandon`. Handlers under way keep the core alive.
  std::shared_ptr<session_core> core_;
};

} // namespace zklock::zookeeper

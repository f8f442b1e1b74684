#pragma once

#include <zklock/clock.hpp>
#include <zklock/error.hpp>

#include "zookeeper/executor.hpp"
#include "zookeeper/request.hpp"
#include "zookeeper/session_options.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace zklock::zookeeper {

/// What happens to a session. Called on its strand, never inside a call of the C client.
class session_owner {
 public:
  /// Connected, for the first time or again. With `is_new` the session was made just now: nothing
  /// of an earlier one is left. `timeout` is what the servers granted.
  virtual void on_connected(bool is_new, std::chrono::milliseconds timeout) noexcept = 0;

  /// The connection is gone. Requests not answered yet may have been carried out or not, and will
  /// never be answered; every watch is void.
  virtual void on_disconnected() noexcept = 0;

  /// The servers have ended the session; a new one is being made.
  virtual void on_expired() noexcept = 0;

  /// The session cannot go on: the servers refused the credentials, or each of them is too old or
  /// granted too short a session timeout. Nothing follows.
  virtual void on_failed(errc why) noexcept = 0;

  /// A watch fired. It fires once.
  virtual void on_watch(std::string_view path, watch_event event) noexcept = 0;

 protected:
  ~session_owner() = default;
};

/// A session with an ensemble: connects, stays connected, and makes a new session when one expires.
///
/// All functions are called on the strand. Requests may only be made between `on_connected` and
/// `on_disconnected`; they are sent at once and answered in order.
///
/// Each connection is a handle of the C client of its own, with one address: the session's
/// identity is carried over, and nothing else is. That way names are resolved anew and credentials
/// added again for each, and the C client's own way of reconnecting, with its fault of losing a
/// connection silently (ZOOKEEPER-4210) and its unbounded SetWatches packet (ZOOKEEPER-706), is
/// never used.
///
/// It belongs to the process in which it was made. In a child of a fork it can be closed and
/// abandoned, to which the servers and the parent are told nothing.
class session : public std::enable_shared_from_this<session> {
 public:
  static std::shared_ptr<session> make(strand executor, session_options options,
                                       session_owner& owner);
  ~session();

  session(const session&) = delete;
  session& operator=(const session&) = delete;

  /// Starts connecting.
  void start();

  /// Sends a request, whose answer goes to `to`.
  void send(request what, receiver& to, request_tag tag);

  /// Takes back the watch of this kind on a path, whichever requests set it. Those that are set by
  /// later requests stay. Its reply is not delivered.
  void remove_watch(const std::string& path, watch_kind kind);

  /// Gives up the connection, as if it were lost: `on_disconnected` follows, not inside this call.
  void give_up_connection() noexcept;

  /// Makes the server that we are connected to catch up with the leader before the requests that
  /// follow. Its own reply is not delivered: what follows answers for it.
  void sync(const std::string& path);

  /// Until when the servers cannot have ended the session; the clock's minimum where there is none.
  boot_clock::time_point valid_until() const noexcept;

  /// The earliest time at which a write can prove the session for longer than it is proven.
  boot_clock::time_point useful_from() const noexcept;

  /// Gives up the connection, and says why in the log: the server is of no use. No answer is
  /// delivered any more; `on_disconnected` follows, and the next connection.
  void give_up(std::string why);

  /// What the servers granted, or what will be asked of them before they did.
  std::chrono::milliseconds timeout() const noexcept;

  bool connected() const noexcept;

  /// 0 where there is none.
  std::int64_t id() const noexcept;

  /// Why no connection stands: `not_connected`; `not_zookeeper` where the last address that was
  /// tried answered with something else than ZooKeeper's protocol; `session_timeout_too_short`
  /// where it granted a session timeout that is of no use; `server_too_old` where it did not know a
  /// request.
  errc trouble() const noexcept;

  /// Ends the session: the servers delete its nodes. The owner hears nothing more. `done` is
  /// posted to the strand with success once they have said so, or where there is no session. With
  /// `not_connected` where there was no connection to tell them by or they did not answer: the
  /// session lives until it expires. The part that blocks runs on a thread of its own.
  void close(std::function<void(error_code)> done);

  /// Lets go of everything at once, without posting anything: the executor is going away. A
  /// session that is connected is ended on a thread of its own; but not in the child of a fork,
  /// where it is the parent's.
  void abandon() noexcept;

 private:
  class core;
  explicit session(std::shared_ptr<core> parts);

  /// None once abandoned. Handlers that run keep it alive.
  std::shared_ptr<core> core_;
};

} // namespace zklock::zookeeper

#pragma once

#include <zklock/error.hpp>

#include "zookeeper/request.hpp"

#include <chrono>
#include <string_view>

namespace zklock::zookeeper {

/// The events of a session. Called on its strand, never inside a call of the C client.
class session_owner {
 public:
  /// The session is connected, for the first time or again. With `is_new` the session is new: the
  /// nodes and watches of an earlier session do not exist any more. `timeout` is the granted
  /// session timeout.
  virtual void on_connected(bool is_new, std::chrono::milliseconds timeout) noexcept = 0;

  /// The connection is lost. Outstanding requests get no reply, and their outcome is unknown. All
  /// watches are removed.
  virtual void on_disconnected() noexcept = 0;

  /// The session has ended. A new session is being created, or exists already. `why` is
  /// `session_expired` or `data_rolled_back`.
  virtual void on_expired(errc why) noexcept = 0;

  /// The data of the servers is older than the client has seen: zxids go back, or the owner has
  /// called `reject_data`. `on_expired` follows if the owner knows of a session.
  virtual void on_rolled_back() noexcept = 0;

  /// The session has failed for good: the servers refuse the credentials, are too old, or grant too
  /// short a session timeout. No event follows.
  virtual void on_failed(errc why) noexcept = 0;

  /// A request is sent. May be called inside a call to the session.
  virtual void on_request() noexcept = 0;

  /// A watch is triggered, and thereby removed.
  virtual void on_watch(std::string_view path, watch_event event) noexcept = 0;

 protected:
  ~session_owner() = default;
};

} // namespace zklock::zookeeper

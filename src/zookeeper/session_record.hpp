#pragma once

#include <zklock/clock.hpp>

#include "zookeeper/c_client.hpp"
#include "zookeeper/seen_writes.hpp"
#include "zookeeper/session_validity.hpp"
#include "zookeeper/wire.hpp"

#include <chrono>
#include <cstdint>

namespace zklock::zookeeper {

/// The session at the servers as far as it is known, and the age of the servers' data.
class session_record {
 public:
  /// `timeout`: the session timeout to ask for. `tick`: an upper bound of the servers' tickTime.
  session_record(std::chrono::milliseconds timeout, std::chrono::milliseconds tick);

  /// The session id; 0 without a session.
  std::int64_t id() const noexcept { return id_.client_id; }
  /// The granted session timeout, or the requested session timeout before the first connection.
  std::chrono::milliseconds timeout() const noexcept { return timeout_; }
  /// Whether the servers have replied to a request of the session.
  bool is_answered() const noexcept { return answered_; }

  /// A session that the owner does not know of yet proves nothing of the owner's session.
  boot_clock::time_point valid_until() const noexcept {
    return known_ == id_.client_id ? validity_.until() : boot_clock::time_point::min();
  }
  boot_clock::time_point useful_from(boot_clock::time_point now) const noexcept {
    return validity_.useful_from(now);
  }

  /// Begins an attempt to connect. Returns the contents of the connect request.
  introduction begin_attempt() noexcept;

  /// A server has granted a session.
  void established(const clientid_t& granted, std::chrono::milliseconds timeout);

  /// The owner learns of the session. Returns whether the session is new to the owner.
  bool introduce() noexcept;
  /// Whether the owner knows of a session.
  bool is_known() const noexcept { return known_ != 0; }
  /// Whether the owner knows of another session than the session of the connection.
  bool has_lost_known() const noexcept { return is_known() && known_ != id_.client_id; }
  /// The session that the owner knows of has ended. Returns its id.
  std::int64_t end_known() noexcept;

  /// Whether the session timeout differs from the requested session timeout and was not logged yet.
  bool is_timeout_news() noexcept;

  /// A request has its reply. `newest_write`: the newest zxid that the connection has shown.
  void answered(boot_clock::time_point sent, bool committed, std::int64_t newest_write);

  /// The session does not use the connection any more.
  void disconnected() noexcept { validity_.disconnected(); }

  /// The session is gone at the servers: the next connection asks for a new session.
  void forget() noexcept;

  seen_writes& writes() noexcept { return writes_; }
  const seen_writes& writes() const noexcept { return writes_; }

 private:
  const std::chrono::milliseconds asked_;
  // The session to resume, or the session of the connection.
  clientid_t id_{};
  // The session that the owner knows of; 0 for none.
  std::int64_t known_ = 0;
  std::chrono::milliseconds timeout_;
  std::chrono::milliseconds logged_timeout_{0};
  bool answered_ = false;
  boot_clock::time_point attempt_begun_;
  session_validity validity_;
  seen_writes writes_;
};

} // namespace zklock::zookeeper

#pragma once

#include <zklock/clock.hpp>

#include "client/client_core.hpp"
#include "client/client_session.hpp"
#include "client/requester.hpp"
#include "client/watch_registry.hpp"

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace zklock::detail {

/// The session of a client as the drivers of its locks use it: the names of the session's entries,
/// the watches, the requests, and the proof of the session. Used on the client's strand only.
/// Invariant: at most one request that proves the session is in flight, so each write is sent after
/// the reply to the write before, as the session's validity requires.
class session_requester final : public requester, zookeeper::receiver {
 public:
  session_requester(client_core& core, client_session& session);

  /// A new session has begun. No other session has its token.
  void begin_session();
  /// The connection is gone: the request in flight gets no answer.
  void stop() noexcept;

  /// Whether an entry was created within the last session timeout.
  bool has_created_lately() const noexcept;
  /// The periodic check only reads from now on, or has written.
  void set_only_read(bool reads) noexcept { only_read_ = reads; }
  /// The driver is about to be destroyed.
  void forget(lock_driver& gone) noexcept;

  void send(zookeeper::request what, zookeeper::receiver& to) override;
  void remove_watch(const std::string& path, zookeeper::watch_kind kind) override;
  /// Whether the session is proven for long enough that a body can begin, and will be proven again
  /// before that body is cancelled.
  bool proven() noexcept override;
  void when_proven(lock_driver& waiting) override;
  std::int64_t ephemeral_owner() const noexcept override { return session_.id(); }
  queue::session_token token() const noexcept override { return token_; }
  queue::entry_id& last_entry() noexcept override { return last_entry_; }
  watch_registry& watches() noexcept override { return watches_; }
  const std::string& identity() const noexcept override { return core_.options().identity; }
  bool containers() const noexcept override;
  void log_error(const std::string& line) override { core_.log(log_level::error, line); }

 private:
  void on_reply(zookeeper::request_tag tag, const zookeeper::reply& reply) noexcept override;
  void prove();
  void prove_later(boot_clock::duration delay);

  client_core& core_;
  client_session& session_;
  queue::session_token token_;
  queue::entry_id last_entry_ = 0;
  std::chrono::steady_clock::time_point last_create_{};
  watch_registry watches_;
  client_timer timer_;
  // The periodic check has read only, since the last round of writes.
  bool only_read_ = false;
  // The drivers that grant nothing before the session is proven.
  std::vector<lock_driver*> unproven_;
  // Whether a write is in flight, or the timer waits for the time from which a write is useful.
  bool proving_ = false;
};

} // namespace zklock::detail

#pragma once

#include "client/client_core.hpp"
#include "client/client_session.hpp"
#include "client/requester.hpp"
#include "client/session_proof.hpp"
#include "client/watch_registry.hpp"

#include <chrono>
#include <cstdint>
#include <string>

namespace zklock::detail {

/// The session of a client as the drivers of its locks use it: the names of the session's entries,
/// the watches, the proof, and the requests. Used on the client's strand only.
///
/// Invariant: the entries of a session have the token of no other session.
class session_requester final : public requester {
 public:
  session_requester(client_core& core, client_session& session, proof_listener& to)
      : core_(core), session_(session), proof_(core, session, to) {}

  session_proof& proof() noexcept { return proof_; }

  /// A new session has begun.
  void begin_session();

  /// Whether an entry was created within the last session timeout.
  bool has_created_lately() const noexcept;

  void send(zookeeper::request what, zookeeper::receiver& to) override;
  void remove_watch(const std::string& path, zookeeper::watch_kind kind) override;
  bool proven() noexcept override { return proof_.proven(); }
  void when_proven(lock_driver& waiting) override { proof_.when_proven(waiting); }
  std::int64_t ephemeral_owner() const noexcept override { return session_.id(); }
  queue::session_token token() const noexcept override { return token_; }
  queue::entry_id& last_entry() noexcept override { return last_entry_; }
  watch_registry& watches() noexcept override { return watches_; }
  const std::string& identity() const noexcept override { return core_.options().identity; }
  bool containers() const noexcept override;
  void log_error(const std::string& line) override { core_.log(log_level::error, line); }

 private:
  client_core& core_;
  client_session& session_;
  session_proof proof_;
  queue::session_token token_;
  queue::entry_id last_entry_ = 0;
  std::chrono::steady_clock::time_point last_create_{};
  watch_registry watches_;
};

} // namespace zklock::detail

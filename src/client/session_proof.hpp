#pragma once

#include <zklock/clock.hpp>

#include "client/client_core.hpp"
#include "client/client_session.hpp"
#include "client/lock_driver.hpp"
#include "zookeeper/request.hpp"

#include <boost/asio/steady_timer.hpp>

#include <optional>
#include <vector>

namespace zklock::detail {

/// Told that the session may be proven again.
class proof_listener {
 public:
  virtual void may_be_proven() = 0;

 protected:
  ~proof_listener() = default;
};

/// Has the session proven for the drivers that grant nothing before. Used on the client's strand
/// only.
///
/// Invariant: at most one request is in flight, so each write is sent after the reply to the write
/// before; the session's validity is computed from that order.
class session_proof final : public zookeeper::receiver {
 public:
  session_proof(client_core& core, client_session& session, proof_listener& to);

  /// Whether the session is proven now, and will be again before `client_session::proven_until`.
  bool proven() noexcept;

  /// Calls `lock_driver::confirmed` once the session is proven; not after a lost connection.
  void when_proven(lock_driver& waiting);

  /// The driver is about to be destroyed.
  void forget(lock_driver& gone) noexcept;

  /// The periodic check only reads from now on, or has written.
  void set_only_read(bool reads) noexcept { only_read_ = reads; }

  /// The connection is gone: the request in flight gets no answer.
  void stop() noexcept;

  /// The execution context is being destroyed.
  void abandon() noexcept { timer_.reset(); }

 private:
  void on_reply(zookeeper::request_tag tag, const zookeeper::reply& reply) noexcept override;
  void prove();
  void prove_later(boot_clock::duration delay);

  client_core& core_;
  client_session& session_;
  proof_listener& listener_;
  // Gone with the execution context.
  std::optional<boost::asio::steady_timer> timer_;
  // The periodic check has read only, since the last round of writes.
  bool only_read_ = false;
  // The drivers that grant nothing before the session is proven.
  std::vector<lock_driver*> unproven_;
  // Whether a write is in flight, or the timer waits for the time from which a write is useful.
  bool proving_ = false;
};

} // namespace zklock::detail

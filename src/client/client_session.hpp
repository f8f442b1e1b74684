#pragma once

#include <zklock/clock.hpp>
#include <zklock/connection_state.hpp>
#include <zklock/error.hpp>

#include "client/check_timing.hpp"
#include "client/client_core.hpp"
#include "zookeeper/session.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>

namespace zklock::detail {

/// The session of a client: its state, id, timeout and validity, which any thread may read, and on
/// the strand the session itself. Invariant: a client that is over is `closed`, and its session is
/// not proven.
class client_session {
 public:
  explicit client_session(client_core& core) noexcept;

  /// Makes the session, which `start` connects. `tls` is null for plain connections. To be called
  /// once, before all other functions.
  void make(zookeeper::session_owner& owner, std::shared_ptr<zookeeper::rotating_tls> tls);

  // Any thread.

  connection_state state() const noexcept {
    return gate_.is_current() ? state_.load(std::memory_order_acquire) : connection_state::closed;
  }
  bool connected() const noexcept {
    const auto now = state();
    return now == connection_state::connected || now == connection_state::reconnected;
  }
  std::int64_t id() const noexcept { return id_.load(std::memory_order_acquire); }
  std::chrono::milliseconds timeout() const noexcept {
    return timeout_.load(std::memory_order_acquire);
  }
  /// Until when the servers cannot have ended the session; the clock's minimum if there is none.
  boot_clock::time_point proven_until() const noexcept {
    return gate_.is_current() ? proven_until_.load(std::memory_order_acquire)
                              : boot_clock::time_point::min();
  }
  /// Whether there is a connection, and the servers cannot have ended the session.
  bool proven_now() const noexcept {
    return connected() && boot_clock::now() < proven_until_.load(std::memory_order_acquire);
  }

  /// Whether a body that begins now is not cancelled at once: the session is proven for longer than
  /// the margin at which bodies are cancelled.
  bool may_begin_body() const noexcept {
    return boot_clock::now() + check_timing::margin(timeout()) < proven_until();
  }

  // The strand.

  zookeeper::session& get() const noexcept { return *session_; }
  /// Why the client is closed, or has failed for good; empty if neither.
  std::optional<errc> why_over() const noexcept { return over_; }

  /// Updates `proven_until` by the replies that have arrived.
  void refresh() noexcept;
  /// There is no session any more.
  void reset_proof() noexcept {
    proven_until_.store(boot_clock::time_point::min(), std::memory_order_release);
  }

  /// Tells the observer of a state that it was not told of yet. A client that has failed is closed
  /// even before the program closes it.
  void tell_state();

  /// The session may own nodes that no queue knows of: by a commit, or since the client has failed.
  void ephemerals_made() noexcept { has_ephemerals_ = true; }
  bool has_ephemerals() const noexcept { return has_ephemerals_; }

  // The events of the session.

  void on_connected(bool is_new, std::chrono::milliseconds timeout) noexcept;
  void on_disconnected() noexcept { state_ = connection_state::suspended; }
  void on_expired() noexcept;
  /// The holds of the session are lost, and tell of its id no more.
  void forget_id() noexcept { id_ = 0; }
  /// The client is over.
  void end(errc why) noexcept;
  /// The execution context or the client is being destroyed. Returns the session, to be destroyed
  /// when nothing of the client is used any more.
  std::shared_ptr<zookeeper::session> abandon() noexcept;

 private:
  client_core& core_;
  const context_gate& gate_;
  // Gone with the execution context.
  std::shared_ptr<zookeeper::session> session_;
  std::atomic<connection_state> state_{connection_state::connecting};
  // The state that the observer was told last.
  connection_state told_state_ = connection_state::connecting;
  std::atomic<std::int64_t> id_{0};
  std::atomic<std::chrono::milliseconds> timeout_;
  std::atomic<boot_clock::time_point> proven_until_{boot_clock::time_point::min()};
  std::optional<errc> over_;
  bool has_ephemerals_ = false;
};

} // namespace zklock::detail

#pragma once

#include "client/client_core.hpp"
#include "client/client_session.hpp"
#include "client/operation.hpp"
#include "queue/node_budget.hpp"

#include <chrono>
#include <cstddef>
#include <list>
#include <memory>
#include <utility>

namespace zklock::detail {

class reserved_room;

using room_signature = void(error_code, std::shared_ptr<reserved_room>);

/// The room that a session has for the paths of its nodes: serves the locks, and the callers of
/// several locks, that wait for room. Used on the client's strand only, except `release`.
///
/// Invariant: while a user waits for room that is free, a function that serves users is posted.
class session_room {
 public:
  using operation_type = operation<error_code, std::shared_ptr<reserved_room>>;

  session_room(client_core& core, client_session& session)
      : core_(core), session_(session), budget_(core.options().max_path_bytes) {}

  queue::node_budget& budget() noexcept { return budget_; }

  /// Called after each event of a user of the budget.
  void settle(queue::room_user& user);

  /// Returns reserved bytes to the budget. Any thread.
  void release(std::size_t bytes);

  /// Reserves bytes for all locks of a caller. With a zero timeout: now or not at all.
  void reserve(std::size_t bytes, std::chrono::nanoseconds timeout, operation_type op);
  /// Ends a claim that waits.
  void give_up(const operation_type& op, error_code why);
  /// The client is closed. Ends all claims.
  void end_all(error_code why);

  /// The execution context is being destroyed: drops all claims.
  void drop_all() noexcept;

 private:
  /// A caller of several locks that waits for the room of all its locks.
  struct claim final : queue::room_user {
    claim(session_room& all, std::size_t wanted, operation_type caller)
        : in(all), bytes(wanted), op(std::move(caller)), timer(all.core_) {}

    queue::room_need needs_room() const noexcept override { return queue::room_need::first; }
    bool has_surplus() const noexcept override { return false; }
    void refill() override;
    bool drop_surplus() override { return false; }

    session_room& in;
    const std::size_t bytes;
    const operation_type op;
    client_timer timer;
  };

  bool reserve_now(std::size_t bytes, const operation_type& op);
  void serve_later();

  client_core& core_;
  client_session& session_;
  queue::node_budget budget_;
  std::list<claim> claims_;
  bool is_serving_ = false;
};

/// The bytes of `client_options::max_path_bytes` that a caller of several locks has for them. Its
/// acquisitions take their parts along. The rest goes back to the budget when the object is
/// destroyed, by any thread. Invariant: a byte goes to a single acquisition, or back to the budget.
class reserved_room {
 public:
  /// `room` keeps the client alive.
  reserved_room(std::shared_ptr<session_room> room, std::size_t bytes) noexcept
      : room_(std::move(room)), bytes_(bytes) {}
  reserved_room(const reserved_room&) = delete;
  reserved_room& operator=(const reserved_room&) = delete;
  ~reserved_room() {
    if (bytes_ != 0) room_->release(bytes_);
  }

  /// Returns whether there were so many bytes. Call it on the client's strand.
  bool take(std::size_t bytes) noexcept {
    if (bytes > bytes_) return false;
    bytes_ -= bytes;
    return true;
  }

 private:
  const std::shared_ptr<session_room> room_;
  std::size_t bytes_;
};

} // namespace zklock::detail

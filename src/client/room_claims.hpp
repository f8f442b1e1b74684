#pragma once

#include "client/client_core.hpp"
#include "client/client_session.hpp"
#include "client/operation.hpp"
#include "client/reserved_room.hpp"
#include "client/session_room.hpp"

#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <cstddef>
#include <list>
#include <memory>
#include <optional>
#include <utility>

namespace zklock::detail {

using room_signature = void(error_code, std::shared_ptr<reserved_room>);

/// The callers of several locks that wait for the room of all their locks, in their order. Used on
/// the client's strand only.
///
/// Invariant: a claim waits in the budget, unless it is served or ended.
class room_claims {
 public:
  using operation_type = operation<error_code, std::shared_ptr<reserved_room>>;

  room_claims(client_core& core, client_session& session, session_room& room) noexcept
      : core_(core), session_(session), room_(room) {}

  /// Reserves so many bytes. With a zero timeout: now or not at all.
  void add(std::size_t bytes, std::chrono::nanoseconds timeout, operation_type op);

  /// Ends a claim.
  void give_up(const operation_type& op, error_code why);

  /// The client is closed. Ends all claims.
  void end_all(error_code why);

  /// The execution context is being destroyed. `drop_all` drops the operations of the claims.
  void abandon() noexcept;
  void drop_all() noexcept;

 private:
  struct claim final : queue::room_user {
    claim(room_claims& all, std::size_t wanted, operation_type caller)
        : in(all), bytes(wanted), op(std::move(caller)) {}

    queue::room_need needs_room() const noexcept override { return queue::room_need::first; }
    bool has_surplus() const noexcept override { return false; }
    void refill() override;
    bool drop_surplus() override { return false; }

    room_claims& in;
    const std::size_t bytes;
    const operation_type op;
    std::optional<boost::asio::steady_timer> timer{};
  };

  bool reserve(std::size_t bytes, const operation_type& op);

  client_core& core_;
  client_session& session_;
  session_room& room_;
  std::list<claim> claims_;
};

} // namespace zklock::detail

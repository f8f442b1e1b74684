#pragma once

#include "client/operation.hpp"
#include "client/reserved_room.hpp"
#include "queue/budget_waiters.hpp"
#include "queue/node_budget.hpp"

#include <boost/asio/steady_timer.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <list>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace zklock::detail {

class client_impl;

using room_signature = void(error_code, std::shared_ptr<reserved_room>);

/// The callers of several locks that wait for room for all of them, and what others have reserved.
/// Used on the client's strand only.
///
/// Invariant: a caller that waits is in line for the budget.
class room_claims {
 public:
  using operation_type = operation<error_code, std::shared_ptr<reserved_room>>;

  room_claims(client_impl& client, queue::node_budget& budget, queue::budget_waiters& line) noexcept
      : client_(client), budget_(budget), line_(line) {}

  /// Reserves so many bytes. With a zero timeout: now or not at all.
  void add(std::size_t bytes, std::chrono::nanoseconds timeout, operation_type op);

  /// Ends one that waits.
  void give_up(const operation_type& op, error_code why);

  /// Ends the reservations that their callers have let go.
  void look();

  /// The line has been served.
  void served();

  /// A caller has let go the room that it had reserved. Any thread.
  void note_let_go() noexcept { any_let_go_.store(true, std::memory_order_release); }

  /// The client is closed. Ends those that wait.
  void end_all(error_code why);

  /// The execution context is being destroyed. `drop_all` drops those that were left.
  void abandon() noexcept;
  void drop_all() noexcept;

 private:
  class claim final : public queue::room_waiter {
   public:
    claim(room_claims& in, std::size_t bytes, operation_type op)
        : in_(in), bytes_(bytes), op_(std::move(op)) {}

    bool is_of(const operation_type& op) const noexcept { return op_ == op; }
    void expire_after(std::chrono::nanoseconds timeout);
    void abandon() noexcept { timer_.reset(); }
    /// It does not wait any more.
    operation_type end() noexcept;

    bool starved() const noexcept override { return op_ != nullptr; }
    bool needs_room() const noexcept override { return starved(); }
    bool may_borrow() const noexcept override { return false; }
    bool is_reserving() const noexcept override { return false; }
    bool can_make_room() const noexcept override { return false; }
    void refill() override;
    bool make_room() override { return false; }

   private:
    room_claims& in_;
    const std::size_t bytes_;
    operation_type op_;
    std::optional<boost::asio::steady_timer> timer_;
  };

  struct reservation {
    queue::reservation_id id;
    std::weak_ptr<reserved_room> room;
  };

  bool reserve(std::size_t bytes, const operation_type& op);

  client_impl& client_;
  queue::node_budget& budget_;
  queue::budget_waiters& line_;
  std::list<claim> claims_;
  std::vector<reservation> reserved_;
  std::atomic<bool> any_let_go_{false};
  bool any_ended_ = false;
};

} // namespace zklock::detail

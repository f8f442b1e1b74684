#pragma once

#include "client/client_core.hpp"
#include "queue/node_budget.hpp"

#include <cstddef>

namespace zklock::detail {

/// The room that a session has for the paths of its nodes: serves the users that wait for room, by
/// a function of its own. Used on the client's strand only, except `return_later`.
///
/// Invariant: while a user waits for room that is free, that function is posted.
class session_room {
 public:
  explicit session_room(client_core& core) : core_(core), budget_(core.options().owned_bytes) {}

  queue::node_budget& budget() noexcept { return budget_; }

  /// Called after each event of a user of the budget.
  void settle(queue::room_user& user);

  /// So many reserved bytes are not needed.
  void give_back(std::size_t bytes);
  /// Gives the bytes back, on the strand. Any thread.
  void return_later(std::size_t bytes);

 private:
  void serve_later();

  client_core& core_;
  queue::node_budget budget_;
  bool is_serving_ = false;
};

} // namespace zklock::detail

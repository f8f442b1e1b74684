#pragma once

#include "queue/node_budget.hpp"

#include <memory>

namespace zklock::detail {

class client_impl;

/// What a caller of several locks has reserved for them in the budget of their client. When it is
/// destroyed, what is left of it goes back to the budget. Any thread.
class reserved_room {
 public:
  reserved_room(std::shared_ptr<client_impl> client, queue::reservation_id id) noexcept;
  reserved_room(const reserved_room&) = delete;
  reserved_room& operator=(const reserved_room&) = delete;
  ~reserved_room();

  queue::reservation_id id() const noexcept { return id_; }

 private:
  const std::shared_ptr<client_impl> client_;
  const queue::reservation_id id_;
};

} // namespace zklock::detail

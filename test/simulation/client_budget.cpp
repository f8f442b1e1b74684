// The nodes that a client's queues own at a time, and how queues wait for room.

#include "client.hpp"
#include "failure.hpp"

#include <algorithm>
#include <utility>

namespace simulation {

void client::our_lock::refill() {
  driver->refill();
  if (!starved()) owner.world_.statistics.count(seen::starved);
}

bool client::our_lock::make_room() {
  const bool made = driver->make_room();
  if (made) owner.world_.statistics.count(seen::made_room);
  return made;
}

// What one queue gives back to the budget another one may wait for.
void client::settle(zklock::queue::room_waiter& waiting) {
  if (budget_line_.settle(waiting)) serve();
}

void client::serve() {
  if (std::exchange(serving_, true)) return;
  budget_line_.serve();
  serving_ = false;
}

void client::claim::reserve(std::size_t nodes) {
  wanted_ = nodes;
  id_ = owner_.budget_.reserve(nodes * entry_bytes);
  if (id_ == 0) owner_.settle(*this);
}

void client::claim::refill() {
  id_ = owner_.budget_.reserve(wanted_ * entry_bytes);
  if (id_ != 0) owner_.world_.statistics.count(seen::multi_had_room);
  owner_.budget_line_.settle(*this);
}

void client::claim::let_go() {
  wanted_ = 0;
  owner_.budget_.end(std::exchange(id_, 0));
  owner_.budget_line_.settle(*this);
  if (!owner_.budget_line_.empty()) owner_.serve();
}

void client::check_lending() const {
  std::size_t lent = 0;
  for (const auto& lock : locks_)
    for (const auto& [id, entry] : lock.driver->state().entries())
      lent += entry.lent;
  for (const auto& lock : locks_)
    if (lock.may_borrow() && budget_.left() >= entry_bytes && lent < world_.plan.lendable)
      fail(name_, " waits in directory ", lock.directory, " for room that could be borrowed");
}

// Whether it was created after a list had shown that it never would be.
bool client::is_late(node_id node) const {
  const auto id = world_.ensemble.at(node).entry;
  return std::any_of(locks_.begin(), locks_.end(),
                     [id](const our_lock& lock) { return lock.conduct.is_left_behind(id); });
}

// Ending a session that owns too much would break the servers: at no time may there be more, not
// even for a moment. Nodes that the servers did not let us delete are not our fault.
void client::check_budget() const {
  std::size_t nodes = 0;
  const auto& truth = world_.ensemble.truth();
  for (std::size_t i = 0; i < truth.directories(); ++i)
    for (const auto child : truth.at(i).children)
      nodes += world_.ensemble.at(child).owner == session() && !is_late(child) &&
               std::find(left_behind_.begin(), left_behind_.end(), child) == left_behind_.end();
  for (const auto& request : connection_.sent) {
    nodes += request.what == request::kind::create;
    // Without the entry that they are to replace there will be no permits.
    const auto& parts = request.parts;
    const bool takes = !parts.empty() && parts.back().what == zklock::zookeeper::write::kind::set;
    if (takes && truth.find(request.directory, parts.front().name) != no_such_node)
      nodes += parts.size() - 3;
  }
  if (nodes > world_.plan.budget) fail(name_, " owns more than the budget allows");
}

} // namespace simulation

// The nodes that a client's queues own at a time, and how queues wait for room.

#include "client.hpp"
#include "failure.hpp"

#include <algorithm>
#include <utility>

namespace simulation {

void client::our_lock::refill() {
  driver->refill();
  if (needs_room() == room_need::none) owner.world_.statistics.count(seen::starved);
}

bool client::our_lock::drop_surplus() {
  const bool dropped = driver->drop_surplus();
  if (dropped) owner.world_.statistics.count(seen::made_room);
  return dropped;
}

// Another queue may wait for the room that a queue returns to the budget.
void client::settle(zklock::queue::room_user& user) {
  note_claim(user);
  if (budget_.update(user)) serve();
}

// Claims are served in their order. A lock that a caller of several locks has brought room to may
// have an entry before its turn.
void client::note_claim(const zklock::queue::room_user& user) {
  const auto found = std::find(claims_.begin(), claims_.end(), &user);
  const bool claims = user.needs_room() == room_need::first;
  if (claims == (found != claims_.end())) return;
  if (claims) return claims_.push_back(&user);
  const bool is_first = found == claims_.begin();
  claims_.erase(found);
  if (is_first || world_.plan.multi_callers != 0) return;
  for (const auto& lock : locks_)
    if (&lock == &user && !lock.driver->state().entries().empty())
      fail(name_, " overtakes a claim in directory ", lock.directory);
}

void client::serve() {
  if (std::exchange(serving_, true)) return;
  budget_.serve();
  serving_ = false;
}

void client::claim::ask(std::size_t nodes) {
  if (owner_.budget_.take(nodes * entry_bytes, room_need::first)) {
    left_ = nodes;
    return;
  }
  wanted_ = nodes;
  owner_.settle(*this);
}

void client::claim::refill() {
  if (owner_.budget_.take(wanted_ * entry_bytes, room_need::first)) {
    left_ = std::exchange(wanted_, 0);
    owner_.world_.statistics.count(seen::multi_had_room);
  }
  owner_.settle(*this);
}

void client::claim::take(std::size_t nodes) {
  if (nodes > left_) fail("multi-caller ", number_, " lacks room");
  left_ -= nodes;
}

bool client::member::take_room() {
  room_->take(wanted().permits);
  return true;
}

void client::claim::let_go() {
  wanted_ = 0;
  owner_.budget_.put_back(std::exchange(left_, 0) * entry_bytes);
  owner_.settle(*this);
}

void client::check_waiting() const {
  const bool is_any_left = budget_.left() >= world_.plan.limit * entry_bytes;
  for (const auto& lock : locks_) {
    if (claims_.empty() && is_any_left && lock.needs_room() != room_need::none)
      fail(name_, " waits in directory ", lock.directory, " for room that is there");
    if (claims_.empty() || world_.plan.multi_callers != 0) continue;
    const auto& own = lock.driver->state().own();
    for (const auto& [number, e] : own)
      if (e != own.begin()->second && e->is == zklock::queue::entry::state::queued && !e->is_try())
        fail(name_, " keeps entry ", e->id, " while a lock without an entry waits");
  }
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

// How the acquisitions of a client use the lines of its locks.

#include "client.hpp"

namespace simulation {

// By chance, or always: the dice of an exhaustive search have no numbers.
bool client::is_fast() {
  const auto percent = world_.plan.outside_percent;
  return percent == 100 || (percent != 0 && world_.dice.chance(percent));
}

bool client::member::is_proven() const noexcept {
  client& owner = of_.owner;
  return owner.connected_ && owner.is_fast() && owner.requester_.proven();
}

void client::member::complete_fast() {
  of_.owner.world_.statistics.count(seen::granted_fast);
  granted(by_);
}

bool client::our_lock::may_open() {
  if (!owner.is_fast()) return false;
  const bool any_waits = conduct.attempts().size() > 1;
  owner.world_.statistics.count(any_waits ? seen::lent_with_waiters : seen::lent);
  return true;
}

void client::our_lock::look() {
  is_look_due = false;
  for (const auto& seen : line.look())
    if (seen->trying) tickets.start_try(*seen);
  tickets.look(false);
}

// Returns whether the strand had come to a line.
bool client::look_at_lines() {
  for (auto& lock : locks_) {
    if (!lock.is_look_due || (!connection_.received.empty() && world_.dice.chance(50))) continue;
    lock.look();
    return true;
  }
  return false;
}

// The queue does not tell the acquisitions of a demand apart.
void client::pass_permits(our_lock& lock, const member& waiter) {
  attempt& from = *lock.conduct.find(waiter.id());
  for (const auto& [id, each] : lock.members) {
    if (!from.taking || each->ticket() != waiter.ticket()) continue;
    attempt& to = *lock.conduct.find(id);
    if (to.waits() && !to.taking) lock.conduct.passes_permits(from, to);
  }
}

void client::give_up(our_lock& lock, member& waiter) {
  handing_over_ = true;
  pass_permits(lock, waiter);
  const auto gone = lock.line.take_out(waiter, true);
  waiter.forgotten(reason::none);
  lock.tickets.withdraw(waiter);
  end_handing_over();
}

void client::release(our_lock& lock, member& holder) {
  const auto ended = lock.line.release_fast(holder);
  if (ended.is_done) {
    holder.forgotten(reason::none);
    if (ended.next) ended.next->complete_fast();
    return;
  }
  releasing_ = true;
  handing_over_ = true;
  const auto kept = world_.plan.keep_percent;
  const bool may_keep =
      settings_.cache ? kept == 100 || world_.dice.chance(kept) : settings_.local_handoffs != 0;
  lock.tickets.release(holder, may_keep);
  releasing_ = false;
  end_handing_over();
}

} // namespace simulation

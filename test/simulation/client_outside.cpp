// What is kept is granted, and given back, without the queue, until something happens to the lock:
// as `kept_entry` does it in any thread.

#include "client.hpp"

#include <utility>

namespace simulation {

void client::our_lock::on_event() {
  if (const auto was = std::exchange(offered, std::nullopt))
    driver->granted_outside(was->entry, was->next_turn, was->holder);
}

bool client::grant_outside(our_lock& lock, acquisition_id id, zklock::queue::lock_mode asked) {
  const auto percent = world_.plan.outside_percent;
  if (percent == 0 || !connected_ || (lock.offered && lock.offered->holder != 0)) return false;
  const auto* const kept = lock.driver->state().grantable_outside();
  if (!kept || kept->wants != asked.wants || !world_.dice.chance(percent)) return false;
  const auto turn = lock.offered ? lock.offered->next_turn : kept->turn;
  if (turn == plan::most_turns || !requester_.proven()) return false;
  lock.offered = {.entry = kept->id, .next_turn = turn + 1, .holder = id};
  world_.statistics.count(seen::granted_outside);
  told(lock, {.what = action::kind::grant,
              .wants = kept->wants,
              .entry = kept->id,
              .acquisition = id,
              .number = kept->number,
              .czxid = kept->czxid,
              .turn = turn});
  return true;
}

bool client::release_outside(our_lock& lock, attempt& given_back) {
  if (!lock.offered || lock.offered->holder != given_back.id) return false;
  lock.offered->holder = 0;
  told(lock, {.what = action::kind::forget, .acquisition = given_back.id});
  return true;
}

} // namespace simulation

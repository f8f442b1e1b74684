// What is kept is granted, waited for and given back without the queue, until something happens to
// the lock: as `kept_entry` does it in any thread.

#include "client.hpp"

#include <algorithm>
#include <deque>
#include <utility>
#include <vector>

namespace simulation {

void client::our_lock::on_event() {
  const auto was = std::exchange(offered, std::nullopt);
  if (!was) return;
  const std::vector<acquisition_id> waiters(was->waiters.begin(), was->waiters.end());
  driver->granted_outside(was->entry, was->next_turn, was->holder, waiters);
}

// One that is part of what a caller wants is the queue's concern.
void client::hand_out(our_lock& lock) {
  const auto percent = world_.plan.outside_percent;
  if (percent == 0 || !connected_ || lock.offered) return;
  const auto* const held = lock.driver->state().grantable_outside();
  if (!held || held->acquisition == 0 || !world_.dice.chance(percent)) return;
  const auto& attempts = lock.conduct.attempts();
  if (std::any_of(attempts.begin(), attempts.end(),
                  [](const auto& each) { return each.second.reservation != 0; }))
    return;
  const auto holder = held->acquisition;
  const auto waiters = lock.driver->hand_out(held->id);
  lock.offered = {.entry = held->id,
                  .next_turn = held->turn,
                  .holder = holder,
                  .waiters = {waiters.begin(), waiters.end()}};
  world_.statistics.count(waiters.empty() ? seen::handed_out : seen::waiters_handed_out);
}

bool client::acquire_outside(our_lock& lock, acquisition_id id, zklock::queue::lock_mode asked) {
  const auto percent = world_.plan.outside_percent;
  if (percent == 0 || !connected_ || !world_.dice.chance(percent)) return false;
  const auto* const kept = lock.driver->state().grantable_outside();
  if (!kept || kept->acquisition != 0 || kept->wants != asked.wants) return false;
  if (!lock.offered) lock.offered = {.entry = kept->id, .next_turn = kept->turn};
  if (lock.offered->holder == 0) {
    const bool may_grant = may_grant_outside(lock);
    if (may_grant) grant_outside(lock, id);
    return may_grant;
  }
  if (asked.wants == role::shared || asked.reservation != 0) return false;
  lock.offered->waiters.push_back(id);
  world_.statistics.count(seen::waited_outside);
  return true;
}

bool client::may_grant_outside(const our_lock& lock) {
  return lock.offered->next_turn != plan::most_turns && requester_.proven();
}

void client::grant_outside(our_lock& lock, acquisition_id id) {
  const auto& kept = lock.driver->state().entries().at(lock.offered->entry);
  lock.offered->holder = id;
  world_.statistics.count(seen::granted_outside);
  told(lock, {.what = action::kind::grant,
              .wants = kept.wants,
              .entry = kept.id,
              .acquisition = id,
              .number = kept.number,
              .czxid = kept.czxid,
              .turn = lock.offered->next_turn++});
}

bool client::release_outside(our_lock& lock, attempt& given_back) {
  if (!lock.offered) return false;
  const auto id = given_back.id;
  auto& waiters = lock.offered->waiters;
  const bool has_line = lock.driver->state().entries().size() > 1;
  const bool holds = lock.offered->holder == id;
  if (!holds && (has_line || std::erase(waiters, id) == 0)) return false;
  if (holds) {
    const bool goes = has_line || !settings_.cache;
    if (waiters.empty() ? goes : !may_grant_outside(lock)) return false;
    lock.offered->holder = 0;
  }
  told(lock, {.what = action::kind::forget, .acquisition = id});
  if (lock.offered->holder != 0 || waiters.empty()) return true;
  const auto next = waiters.front();
  waiters.pop_front();
  grant_outside(lock, next);
  return true;
}

} // namespace simulation

// The events that the seed chooses.

#include "history.hpp"

#include <numeric>

namespace simulation {

history::history(simulation::dice numbers, lock_kind kind, bool traced)
    : world_(numbers, kind, traced) {
  add_clients();
}

history::history(const plan& plan, bool traced) : world_(plan, traced) {
  add_clients();
}

void history::add_clients() {
  for (std::size_t i = 0; i < world_.plan.clients; ++i)
    clients_.emplace_back(world_, i + 1);
  for (std::size_t i = 0; i < world_.plan.foreign_clients; ++i)
    foreign_clients_.emplace_back(world_, i + 1);
  for (std::size_t i = 0; i < world_.plan.multi_callers; ++i)
    multi_callers_.emplace_back(world_, clients_[i % clients_.size()], i + 1);
}

void history::run() {
  set_up();
  world_.ensemble.throttle(world_.plan.throttled_percent);
  world_.ensemble.undo(world_.plan.undone_percent);
  world_.ensemble.delay(world_.plan.late_percent);
  const auto& weights = world_.plan.weights;
  const auto total = std::accumulate(weights.begin(), weights.end(), std::size_t{0});
  for (std::size_t i = 0; i < world_.plan.steps && !world_.dice.is_spent(); ++i) {
    auto left = world_.dice.below(total);
    std::size_t what = 0;
    while (left >= weights[what])
      left -= weights[what++];
    happen(static_cast<deed>(what));
    world_.rethrow();
    look();
  }
  come_to_rest();
  // A client that connects later finds servers without faults.
  for (auto& client : clients_)
    for (std::size_t i = 0; i < client.directories(); ++i)
      client.acquire(i, false);
  for (auto& caller : multi_callers_)
    caller.start();
  come_to_rest();
}

// A directory may be new, or have been used before, up to almost all of its numbers; but then
// callers of several locks would begin anew without end.
void history::set_up() {
  for (std::size_t i = 0; i < world_.plan.directories; ++i) {
    world_.ensemble.start_with_limit(i, world_.plan.limit);
    if (world_.dice.chance(50)) continue;
    auto ever = static_cast<sequence>(world_.dice.below(6));
    const bool may_end = !world_.plan.steady && world_.plan.multi_callers == 0;
    if (may_end && world_.dice.chance(10)) ever += zklock::queue::last_number - 5;
    world_.ensemble.found(i, ever);
  }
}

void history::happen(deed what) {
  auto& dice = world_.dice;
  switch (what) {
  case deed::network:
    return network();
  case deed::acquire:
  case deed::try_acquire: {
    client& client = any_client();
    const auto directory = any_directory();
    if (client.attempts(directory).size() >= world_.plan.callers) return;
    mislead(client, directory);
    client.acquire(directory, what == deed::try_acquire);
    return;
  }
  case deed::release:
  case deed::give_up: {
    client& client = any_client();
    const auto directory = any_directory();
    const auto id = pick(client.attempts(directory), what == deed::release);
    if (id != 0) client.release(directory, id);
    return;
  }
  case deed::downgrade: {
    client& client = any_client();
    const auto directory = any_directory();
    const auto& attempts = client.attempts(directory);
    const auto id = pick(attempts, true);
    if (id != 0 && attempts.at(id).may_downgrade()) client.downgrade(directory, id);
    return;
  }
  case deed::rename: {
    client& client = any_client();
    const auto directory = any_directory();
    const auto id = pick(client.attempts(directory), true);
    if (id != 0) client.rename(directory, id, world_.any_identity(80));
    return;
  }
  case deed::check_entry: {
    any_client().check_entry(any_directory());
    return;
  }
  case deed::forget:
    return any_client().forget(any_directory());
  case deed::evict:
    any_client().evict(any_directory());
    return;
  case deed::multi_caller:
    return multi_callers_[dice.below(multi_callers_.size())].act();
  case deed::cut:
    return world_.ensemble.cut(any_client().connection());
  case deed::depose:
    return depose();
  case deed::expire:
    return expire();
  case deed::set_limit:
    world_.statistics.count(seen::limit_changed);
    return world_.ensemble.set_limit(any_directory(),
                                     static_cast<std::uint32_t>(dice.below(world_.plan.limit + 1)));
  case deed::foreign_start:
    if (foreign_client* const other = any_foreign_client(); other && other->idle())
      other->start(any_directory());
    return;
  case deed::foreign_finish:
    // Most waiters have a long timeout.
    if (foreign_client* const other = any_foreign_client();
        other && (other->holds() || dice.chance(15)))
      other->finish();
    return;
  case deed::foreign_downgrade:
    if (foreign_client* const other = any_foreign_client()) other->downgrade();
    return;
  case deed::foreign_crash:
    if (foreign_client* const other = any_foreign_client(); other && !other->dead()) other->crash();
    return;
  case deed::reap:
    return reap();
  case deed::replace:
    return replace(any_directory());
  case deed::delete_by_hand:
    return delete_by_hand();
  case deed::set_data:
    return set_data();
  case deed::litter:
    if (dice.chance(50))
      world_.ensemble.litter(any_directory());
    else
      world_.ensemble.clean_up(any_directory());
    return;
  case deed::deny:
    return deny();
  case deed::count_:
    return;
  }
}

foreign_client* history::any_foreign_client() {
  if (foreign_clients_.empty()) return nullptr;
  return &foreign_clients_[world_.dice.below(foreign_clients_.size())];
}

// A holder or a waiter of a single lock; 0 where there is none.
acquisition_id history::pick(const std::map<acquisition_id, attempt>& attempts, bool held) {
  candidates_.clear();
  for (const auto& [id, attempt] : attempts)
    if (attempt.caller == 0 && (held ? attempt.held && attempt.wants_something() : attempt.waits()))
      candidates_.push_back(id);
  return candidates_.empty() ? 0 : candidates_[world_.dice.below(candidates_.size())];
}

void history::network() {
  for (auto moves = world_.dice.between(1, 16); moves != 0; --moves)
    move();
}

void history::move() {
  auto& dice = world_.dice;
  auto& ensemble = world_.ensemble;
  if (!passers_by_.empty() && dice.chance(2)) {
    ensemble.end_session(passers_by_.back());
    passers_by_.pop_back();
  }
  switch (dice.below(4)) {
  case 0:
    ensemble.take(ensemble.connections()[dice.below(ensemble.connections().size())]);
    return;
  case 1:
    if (dice.chance(world_.plan.apply_percent)) ensemble.apply(any_server());
    return;
  case 2: {
    client& client = any_client();
    if (!client.connected()) {
      if (dice.chance(30)) client.connect(any_server());
    } else if (!client.deliver() && !client.connection().up && dice.chance(30)) {
      client.lose_connection();
    }
    return;
  }
  default:
    if (foreign_client* const other = any_foreign_client())
      if (!other->deliver() && other->dead()) other->revive(any_server());
    return;
  }
}

} // namespace simulation

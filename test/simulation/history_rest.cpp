// Events that the seed does not choose; after the faults have ended every client comes to rest.

#include "history.hpp"

#include <algorithm>
#include <utility>

namespace simulation {

void history::come_to_rest() {
  world_.trace("--- the trouble is over");
  world_.plan.unproven_percent = 0;
  for (std::size_t i = 0; i < world_.plan.directories; ++i)
    for (const auto what : {permission::create, permission::remove, permission::read})
      world_.ensemble.deny(i, what, status::ok);
  // A waiter that wants more permits than there are now waits for a higher limit.
  if (world_.plan.limit_is_told)
    for (std::size_t i = 0; i < world_.plan.directories; ++i)
      world_.ensemble.set_limit(i, world_.plan.limit);
  // Far more steps than any history needs.
  constexpr int rounds = 5000;
  for (int i = 0; i < rounds; ++i) {
    const bool any = progress() || heal() || release_next() || be_late() || clean_up() || let_go();
    world_.rethrow();
    if (!any) return check_rest();
  }
  fail("does not come to rest");
}

// Delivers every message under way. Returns whether there was any.
bool history::progress() {
  bool any = false;
  for (auto& connection : world_.ensemble.connections())
    any |= world_.ensemble.take(connection);
  for (std::size_t i = 0; i < world_.ensemble.servers(); ++i)
    any |= world_.ensemble.apply(i);
  for (auto& client : clients_)
    any |= client.deliver();
  for (auto& other : foreign_clients_)
    any |= other.deliver();
  any |= look();
  return any;
}

// Callers of several locks go on. Returns whether there was anything to do.
bool history::look() {
  bool any = false;
  for (auto& caller : multi_callers_) {
    while (caller.look())
      any = true;
    caller.check();
  }
  return any;
}

// Returns whether a client was cut off, or its session over.
bool history::heal() {
  for (std::size_t i = 0; i < world_.ensemble.servers(); ++i)
    if (world_.ensemble.is_deposed(i)) {
      world_.ensemble.rejoin(i);
      return true;
    }
  if (!passers_by_.empty()) {
    world_.ensemble.end_session(passers_by_.back());
    passers_by_.pop_back();
    return true;
  }
  for (std::size_t i = 0; i < world_.plan.directories; ++i)
    if (world_.ensemble.clean_up(i)) return true;
  for (auto& client : clients_) {
    // A check of the session finds it out.
    if (client.connection().moved) world_.ensemble.cut(client.connection());
    if (client.connected() && client.connection().up) continue;
    if (client.connected())
      client.lose_connection();
    else
      client.connect(any_server());
    return true;
  }
  for (auto& other : foreign_clients_) {
    if (!other.dead() || !world_.ensemble.lives(other.session())) continue;
    world_.ensemble.end_session(other.session());
    return true;
  }
  return false;
}

// Returns whether any lock was held.
bool history::release_next() {
  for (const auto& client : clients_) {
    client.check_downgrades();
    client.check_waiting();
  }
  for (auto& client : clients_)
    for (std::size_t i = 0; i < client.directories(); ++i)
      if (const auto id = pick(client.attempts(i), true); id != 0) {
        client.release(i, id);
        return true;
      }
  for (auto& other : foreign_clients_)
    if (other.holds()) {
      other.finish();
      return true;
    }
  for (auto& caller : multi_callers_)
    if (caller.holds()) {
      caller.finish();
      return true;
    }
  return false;
}

// Carries out the pending requests of lost connections, now that no lock is used any more.
bool history::be_late() {
  return std::any_of(clients_.begin(), clients_.end(), [this](const client& each) {
    return world_.ensemble.carry_out_late(each.session());
  });
}

// Evicts all cached entries. Returns whether any entry was cached. No waiter depends on the
// eviction, except waiters whose entries were deleted by hand, until the next check.
bool history::let_go() {
  for (const auto& client : clients_)
    client.check_cached();
  const bool any_cached = std::any_of(clients_.begin(), clients_.end(),
                                      [](const client& each) { return each.caches_any(); });
  if (any_cached && !std::exchange(has_checked_, true)) {
    for (auto& client : clients_)
      client.check_entries();
    return true;
  }
  for (auto& client : clients_)
    for (std::size_t i = 0; i < client.directories(); ++i) {
      if (!client.evict(i)) continue;
      for (const auto& each : clients_)
        for (std::size_t j = 0; j < each.directories(); ++j)
          if (!each.attempts(j).empty())
            fail("acquisition ", each.attempts(j).begin()->first, " waits for a cached entry");
      for (auto& other : foreign_clients_)
        if (!other.idle() && !other.dead()) fail(other.name(), " waits for a cached entry");
      return true;
    }
  return false;
}

// Deletes by hand the nodes that clients could not delete. Returns whether there was any.
bool history::clean_up() {
  for (auto& client : clients_)
    for (const auto node : client.left_behind())
      if (world_.ensemble.truth().contains(node) && !client.is_being_deleted(node)) {
        world_.ensemble.delete_by_hand(node);
        return true;
      }
  return false;
}

// A caller of several locks holds all of them by now; otherwise callers wait for each other.
void history::check_rest() {
  for (const auto& caller : multi_callers_)
    if (!caller.idle()) fail(caller.name(), " never comes to hold all its locks");
  for (const auto& client : clients_)
    client.check_rest();
  for (auto& other : foreign_clients_)
    if (!other.idle() && !other.dead()) fail(other.name(), " waits for ever");
  world_.ensemble.check_watches();
}

} // namespace simulation

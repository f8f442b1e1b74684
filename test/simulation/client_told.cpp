// Checks the notifications of drivers.

#include "client.hpp"

namespace simulation {

using action_kind = action::kind;

void client::member::granted(const zklock::detail::grant& by) {
  of_.owner.told(of_, {.what = action_kind::grant,
                       .wants = by.wants,
                       .entry = by.entry,
                       .acquisition = id_,
                       .number = by.number,
                       .czxid = by.czxid,
                       .turn = by.turn,
                       .permits = by.permits,
                       .is_misnamed = by.is_misnamed});
}

void client::member::downgraded(reason why) {
  of_.owner.told(of_, {.what = action_kind::downgraded, .why = why, .acquisition = id_});
}

void client::member::refused(reason why) {
  of_.owner.told(of_, {.what = action_kind::refuse, .why = why, .acquisition = id_});
}

void client::member::lost(reason why) {
  of_.owner.told(of_, {.what = action_kind::lose, .why = why, .acquisition = id_});
}

void client::member::forgotten(reason why) {
  of_.owner.told(of_, {.what = action_kind::forget, .why = why, .acquisition = id_});
}

void client::our_lock::settled() {
  owner.world_.watch([this] {
    // The queue does not know the grants of the open line.
    if (!line.is_open()) conduct.check_line(driver->state());
    if (!line.is_open()) conduct.check_cached(driver->state());
    simulation::conduct::check_states(driver->state());
  });
  owner.settle(*this);
}

void client::told(our_lock& lock, const action& action) {
  world_.trace(name_, " queue ", lock.directory, ":   ", to_string(action.what), " acquisition ",
               action.acquisition,
               action.why == reason::none ? "" : text(' ', to_string(action.why)));
  world_.watch([&] {
    lock.conduct.check(action, requester_.was_proven());
    switch (action.what) {
    case action_kind::grant:
      return granted(lock, action);
    case action_kind::downgraded:
      return world_.statistics.count(action.why == reason::none ? seen::downgraded
                                                                : seen::not_downgraded);
    case action_kind::refuse:
      refused(action.why);
      break;
    case action_kind::lose:
      world_.referee.end(lock.conduct.find(action.acquisition)->node);
      world_.statistics.count(action.why == reason::session_expired ? seen::lost_to_expiry
                                                                    : seen::lost_to_deletion);
      break;
    default:
      break;
    }
    lock.conduct.attempts().erase(action.acquisition);
    lock.members.erase(action.acquisition);
  });
}

void client::refused(reason why) {
  if (why == reason::busy) world_.statistics.count(seen::busy);
  if (why == reason::too_many_permits) world_.statistics.count(seen::too_many);
  if (why == reason::sequence_exhausted) world_.statistics.count(seen::exhausted);
  if (why == reason::no_permission || why == reason::failed) world_.statistics.count(seen::denied);
}

void client::granted(our_lock& lock, const action& action) {
  if (action.entry == missing_)
    fail("acquisition ", action.acquisition, " is granted by a node that was found missing");
  world_.statistics.count(action.turn == 0 ? seen::grant : seen::handed_over);
  if (action.is_misnamed) world_.statistics.count(seen::misnamed);
  if (settings_.cache && action.turn != 0 && !releasing_)
    world_.statistics.count(seen::granted_from_cache);
  if (releasing_) world_.statistics.count(seen::grant_without_request);
  note_robbed(lock, action);
  conduct& conduct = lock.conduct;
  if (settings_.policy.holds_by_permits()) {
    if (world_.ensemble.is_misled(session(), action.entry))
      fail("acquisition ", action.acquisition, " holds permits that it took before its turn");
    world_.referee.begin_permits(conduct.find(action.acquisition)->permits, world_.plan.limit);
    if (world_.referee.holders(world_.permits_of(lock.directory)) > action.permits)
      world_.statistics.count(seen::holders_together);
    return;
  }
  if (note_misled_grant(lock, action)) return;
  world_.referee.begin(conduct.find(action.acquisition)->node, action.turn,
                       [&](entry_id id) { return conduct.stands(id); });
  if (world_.referee.holders(lock.directory) > 1) world_.statistics.count(seen::readers_together);
}

} // namespace simulation

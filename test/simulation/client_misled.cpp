// A misled client has not heard yet that its directory was deleted, which was possible since its
// entry had been deleted. In a directory that is made anew, the client's next entry may have just
// the number that the client expects. Holds by that entry do not count until the client has heard.

#include "client.hpp"
#include "failure.hpp"

#include <algorithm>

namespace simulation {

bool client::may_be_misled(std::size_t directory) const {
  if (!connected_ || world_.ensemble.watches_directory(connection_, directory)) return false;
  return has_not_heard(locks_[directory]);
}

bool client::has_not_heard(const our_lock& lock) const {
  const auto& entries = lock.driver->state().entries();
  const auto& all = world_.ensemble.deleted_by_hand();
  return std::any_of(all.begin(), all.end(), [&](node_id id) {
    const node& gone = world_.ensemble.at(id);
    return gone.owner == session() && gone.directory == lock.directory &&
           entries.contains(gone.entry);
  });
}

void client::mislead(std::size_t directory) {
  world_.trace(name_, " queue ", directory, ": is misled");
  world_.statistics.count(seen::misled);
  our_lock& lock = locks_[directory];
  lock.misled.emplace();
  lock.conduct.is_misled(true);
}

bool client::note_misled_grant(our_lock& lock, const action& action) {
  if (!lock.misled) return false;
  attempt& attempt = *lock.conduct.find(action.acquisition);
  attempt.misled = true;
  world_.statistics.count(seen::misled_holds);
  lock.misled->holds.push_back({.acquisition = attempt.id, .node = attempt.node});
  return true;
}

// If neither a delete nor a list tells of the deletion, no other reply does.
void client::note_misled_answer(our_lock& lock, const reply& reply) {
  using kind = request::kind;
  if (!lock.misled) return;
  const bool told = reply.result == status::ok || reply.result == status::no_node;
  const auto what = reply.to.what;
  const bool is_list = what == kind::list || what == kind::list_and_watch;
  const bool is_delete = what == kind::remove || what == kind::transaction;
  if (!told && (is_list || is_delete)) lock.misled->refused = true;
  if (!told || !is_list) return;
  lock.misled->refused = false;
  lock.misled->rounds = 0;
}

void client::leave_misled(our_lock& lock) {
  lock.misled.reset();
  lock.conduct.is_misled(false);
}

void client::check_misled() {
  for (auto& lock : locks_)
    if (lock.misled) check_misled(lock);
}

// The reply that tells of the deletion is followed by a list, or by two lists if the first was in
// flight already. A driver sends the list in the event of that reply, and a connection answers in
// order: once all requests are answered, no list follows.
void client::check_misled(our_lock& lock) {
  auto& now = *lock.misled;
  if (now.refused || has_not_heard(lock)) {
    now.rounds = 0;
    return;
  }
  constexpr int lists = 2;
  do {
    if (now.rounds != 0 && now.answers > answers_) return;
    now.answers = requests_;
  } while (now.rounds++ != lists);
  const auto holds = std::move(now.holds);
  leave_misled(lock);
  for (const auto& each : holds) {
    const attempt* const found = lock.conduct.find(each.acquisition);
    const auto node = world_.ensemble.heir_of(each.node);
    // The session may have ended. The next check misses an entry that was deleted by hand.
    if (!found || !found->held || !found->wants_something() ||
        !world_.ensemble.truth().contains(node))
      continue;
    world_.trace(name_, " queue ", lock.directory, ": acquisition ", each.acquisition,
                 " holds, and has heard");
    world_.referee.resume(node, [&](entry_id id) { return lock.conduct.stands(id); });
  }
}

} // namespace simulation

// The faults that the seed chooses.

#include "history.hpp"

#include <algorithm>

namespace simulation {

// A leader that is cut off from the quorum goes on answering for a while.
void history::depose() {
  const auto server = any_server();
  if (world_.ensemble.is_deposed(server))
    world_.ensemble.rejoin(server);
  else if (server != 0)
    world_.ensemble.depose(server);
}

// Expires the session of a client that is cut off, connected, or dead.
void history::expire() {
  foreign_client* const other = any_foreign_client();
  if (other && (other->dead() || world_.dice.chance(30)))
    world_.ensemble.end_session(other->session());
  else
    world_.ensemble.end_session(any_client().session());
}

// Deleting an entry by hand unpins the directory. A client notices that at its next check only.
bool history::reap(std::size_t directory) {
  std::vector<client*> misled;
  if (directory < world_.plan.directories)
    for (auto& each : clients_)
      if (each.may_be_misled(directory)) misled.push_back(&each);
  if (!world_.ensemble.reap(directory)) return false;
  for (client* const each : misled)
    each->mislead(directory);
  return true;
}

void history::reap() {
  if (!reap(any_kind_of_directory())) world_.ensemble.reap_parent();
}

// Deletes the directory; other clients create it anew and use up its numbers to where they were.
// Single events would hardly ever lead there.
void history::replace(std::size_t directory) {
  const auto ever = world_.ensemble.truth().at(directory).children_ever;
  if (ever > 12 || !reap(directory)) return;
  passers_by_.push_back(world_.ensemble.start_session());
  world_.ensemble.make_anew(directory, ever, passers_by_.back());
}

// The only entry in line belongs to this client, which does not watch the directory, and will
// expect that its next entry follows. If the client also gives up, only its delete can tell of the
// deletion, and the delete may be refused.
void history::mislead(client& one, std::size_t directory) {
  if (!world_.dice.aside(8).chance(world_.plan.mislead_percent)) return;
  const auto& children = world_.ensemble.truth().at(directory).children;
  if (children.size() != 1) return;
  const auto only = children.front();
  if (world_.ensemble.at(only).entry == 0 || world_.ensemble.at(only).owner != one.session() ||
      world_.ensemble.watches_directory(one.connection(), directory))
    return;
  world_.statistics.count(seen::deleted_by_hand);
  world_.ensemble.delete_by_hand(only);
  replace(directory);
  auto aside = world_.dice.aside(14);
  if (!aside.chance(50)) return;
  if (world_.plan.weight(deed::deny) != 0)
    world_.ensemble.deny(directory, permission::remove, status::failed);
  if (const auto id = pick(one.attempts(directory), false); id != 0) one.release(directory, id);
}

void history::deny() {
  const auto what = static_cast<permission>(world_.dice.below(3));
  const status results[] = {status::ok, status::no_permission, status::failed};
  const status result = results[world_.dice.below(3)];
  world_.ensemble.deny(any_directory(), what, result);
}

void history::delete_by_hand() {
  const auto& children = world_.ensemble.truth().at(any_kind_of_directory()).children;
  candidates_.clear();
  for (const auto child : children)
    if (world_.ensemble.at(child).entry != 0) candidates_.push_back(child);
  if (candidates_.empty()) return;
  world_.statistics.count(seen::deleted_by_hand);
  world_.ensemble.delete_by_hand(candidates_[world_.dice.below(candidates_.size())]);
}

void history::set_data() {
  const auto directory = any_directory();
  const auto& there = world_.ensemble.truth().at(directory);
  if (!there.exists) return;
  const auto which = world_.dice.below(there.children.size() + 1);
  world_.ensemble.set_data(directory,
                           which == there.children.size() ? no_such_node : there.children[which]);
}

} // namespace simulation

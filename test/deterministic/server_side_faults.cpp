// Faults of the servers, and their end.
#include "server_side.hpp"

#include <algorithm>

namespace deterministic {

void server_side::crash(int replica) {
  const auto which = static_cast<std::size_t>(replica);
  kernel_.net().stop_listening(addresses_[which]);
  is_up_[which] = false;
  ensemble_.crash(replica);
}

bool server_side::can_restore() const {
  const auto& backup = ensemble_.backup();
  const auto& root = world_.design.root;
  return backup && (root.empty() || backup->tree.find(root) != nullptr);
}

void server_side::restore() {
  for (const auto& each : addresses_)
    kernel_.net().stop_listening(each);
  is_up_.assign(addresses_.size(), false);
  ensemble_.restore([this] { restored(); });
}

void server_side::restored() {
  const auto& tree = ensemble_.newest().tree;
  const auto now = world_.clock().now();
  was_restored_ = true;
  robberies_.clear();
  creators_.clear();
  world_.foreign_waiters.forget();
  for (const auto& path : tree.paths()) {
    if (!is_entry(path)) continue;
    const auto& node = *tree.find(path);
    creators_[path] = node.state.ephemeral_owner;
    if (is_of_mutex(path))
      world_.foreign_waiters.created(path, node.state.ephemeral_owner, node.czxid, now);
  }
  if (tree.find(world_.design.root) == nullptr) world_.root_since.reset();
  world_.referee.rolled_back();
}

// It still listens: the connections that clients open meanwhile are silent.
void server_side::lose_power(int replica) {
  is_up_[static_cast<std::size_t>(replica)] = false;
  ensemble_.lose_power(replica);
}

void server_side::restart(int replica) {
  const auto which = static_cast<std::size_t>(replica);
  if (is_up_[which]) return;
  is_up_[which] = true;
  ensemble_.restart(replica);
  listen(which);
}

void server_side::heal_names() {
  for (std::size_t i = 0; i < addresses_.size(); ++i)
    kernel_.host_names().set(name_of_server(i), {.addresses = {text("10.0.0.", i + 1)}});
}

void server_side::spoil_name(std::size_t which, std::chrono::nanoseconds delay, int error) {
  names::entry entry{.addresses = {text("10.0.0.", which + 1)}};
  entry.delay = delay;
  entry.error = error;
  kernel_.host_names().set(name_of_server(which), entry);
}

void server_side::heal() {
  heal_names();
  for (int i = 0; i < servers::replicas; ++i)
    restart(i);
  ensemble_.heal_all();
}

} // namespace deterministic

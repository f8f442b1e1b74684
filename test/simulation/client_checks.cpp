// How a client looks for nodes of its own that may be gone.

#include "client.hpp"
#include "failure.hpp"

#include <array>
#include <string>
#include <vector>

namespace simulation {

namespace {

// The tag of a check names the directory and the form of the node.
int tag_of(std::size_t directory, zklock::queue::form form) {
  return static_cast<int>(directory * 4 + (form.wants == role::shared) * 2u + form.is_permit);
}

} // namespace

void client::check_entry(std::size_t directory) {
  if (!connected_) return;
  std::vector<std::string> paths;
  const auto nodes = locks_[directory].driver->collect(paths);
  if (nodes.empty()) return;
  const auto which = world_.dice.below(nodes.size());
  world_.trace(name_, " checks entry ", nodes[which].entry);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (nodes[i].entry != nodes[which].entry) continue;
    const std::array<std::string, 1> path{paths[i]};
    requester_.send(zklock::zookeeper::check{.paths = path}, *this,
                    {tag_of(directory, nodes[i].form), nodes[i].entry});
  }
}

// As the checks of the session do it from time to time.
void client::check_entries() {
  if (!connected_) return;
  for (auto& lock : locks_) {
    std::vector<std::string> paths;
    const auto nodes = lock.driver->collect(paths);
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const std::array<std::string, 1> path{paths[i]};
      requester_.send(zklock::zookeeper::check{.paths = path}, *this,
                      {tag_of(lock.directory, nodes[i].form), nodes[i].entry});
    }
  }
}

void client::on_reply(zklock::zookeeper::request_tag tag,
                      const zklock::zookeeper::reply& reply) noexcept {
  if (reply.result != status::no_node) return;
  world_.statistics.count(seen::missing_found);
  const auto what = static_cast<std::size_t>(tag.what);
  locks_[what / 4].driver->missing(
      tag.which,
      {.wants = what % 4 >= 2 ? role::shared : role::exclusive, .is_permit = what % 2 == 1});
}

// Whether it was a check that a transaction failed for.
bool client::note_failed_check(our_lock& lock, const reply& reply) {
  if (reply.to.parts.empty()) return false;
  const auto checks = reply.to.parts.size() - (reply.to.entry != 0);
  if (reply.result == status::ok || reply.first_failed >= checks) return false;
  if (reply.result != status::no_node) {
    leave_robbed(lock);
    return true;
  }
  world_.statistics.count(seen::robbed_let_in);
  // A transaction fails at the first node that is gone. The transaction is sent again, and finds
  // the next.
  for (auto& each : robbed_)
    if (each.directory == lock.directory) each.answers = 0;
  return true;
}

// A request that the servers refused does not tell. The checks that are made from time to time do.
void client::leave_robbed(const our_lock& lock) {
  std::erase_if(robbed_, [&](const robbed& each) { return each.directory == lock.directory; });
}

void client::note_robbed(our_lock& lock, const action& action) {
  if (!handing_over_ || settings_.policy.holds_by_permits() || action.turn != 0) return;
  const auto node = world_.ensemble.heir_of(world_.ensemble.find_created(action.czxid));
  if (!world_.ensemble.truth().contains(node))
    robbed_.push_back(
        {.directory = lock.directory, .acquisition = action.acquisition, .node = node});
}

void client::end_handing_over() {
  handing_over_ = false;
  for (auto& each : robbed_)
    if (each.answers == 0) each.answers = requests_;
}

// Two acquisitions may own the lock for a round trip; if several nodes are gone, for a round trip
// each.
void client::check_robbed() {
  std::erase_if(robbed_, [this](const robbed& each) {
    if (each.answers > answers_) return false;
    const attempt* const found = locks_[each.directory].conduct.find(each.acquisition);
    // An acquisition that becomes a reader meanwhile hears by the reply to the downgrade.
    if (found && found->downgrading) return false;
    if (found && found->held && found->wants_something())
      fail(name_, " has let acquisition ", each.acquisition,
           " hold by a node that is gone, and has not noticed");
    return true;
  });
}

} // namespace simulation

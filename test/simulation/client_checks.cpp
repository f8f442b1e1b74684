// How a client looks for nodes of its own that may be gone.

#include "client.hpp"
#include "failure.hpp"

#include <utility>

namespace simulation {

void client::send_checks(request request) {
  request.checks.clear();
  for (const auto& each : request.checked)
    request.checks.push_back(entry_name(each.entry, each.wants, each.number));
  send(std::move(request));
}

void client::check_entry(std::size_t directory) {
  const auto& own = locks_[directory].queue->own();
  if (!connected_) return;
  if (settings_.policy.holds_by_permits() && world_.dice.chance(50) && check_permit(directory))
    return;
  if (own.empty()) return;
  const auto& [number, entry] =
      *std::next(own.begin(), static_cast<std::ptrdiff_t>(world_.dice.below(own.size())));
  world_.trace(name_, " checks entry ", entry->id);
  send({.what = request::kind::check,
        .directory = directory,
        .name = entry_name(entry->id, entry->wants, number),
        .wants = entry->wants,
        .entry = entry->id,
        .purpose = to_know});
}

// Whether it was a check that a transaction failed for. Then the rest is asked for again.
bool client::treat_failed_check(const reply& reply) {
  if (reply.result == answer::ok || reply.first_failed >= reply.to.checks.size()) return false;
  const auto failed = reply.to.checked[reply.first_failed];
  const bool gone = reply.result == answer::no_node;
  auto rest = reply.to;
  auto& left = rest.checked;
  left.erase(left.begin(), gone ? left.begin() + static_cast<std::ptrdiff_t>(reply.first_failed) + 1
                                : left.end());
  if (!rest.name.empty() || !left.empty()) send_checks(std::move(rest));
  if (!gone) {
    // A check that the servers refused is left to those that are made from time to time.
    std::erase_if(robbed_,
                  [&](const robbed& each) { return each.directory == reply.to.directory; });
    return true;
  }
  world_.statistics.count(seen::robbed_let_in);
  step(reply.to.directory, [&](auto& queue, auto& context) {
    queue.missing(context, failed.entry, {.wants = failed.wants});
  });
  return true;
}

void client::note_robbed(std::size_t directory, const action& action) {
  if (!handing_over_ || settings_.policy.holds_by_permits() || action.turn != 0) return;
  const auto node = world_.ensemble.heir_of(world_.ensemble.find_created(action.czxid));
  if (!world_.ensemble.truth().contains(node))
    robbed_.push_back({.directory = directory, .acquisition = action.acquisition, .node = node});
}

void client::end_handing_over() {
  handing_over_ = false;
  for (auto& each : robbed_)
    if (each.answers == 0) each.answers = requests_;
}

// Two may own the lock for a round trip, no longer.
void client::check_robbed() {
  std::erase_if(robbed_, [this](const robbed& each) {
    if (each.answers > answers_) return false;
    const attempt* const found = locks_[each.directory].conduct.find(each.acquisition);
    // Who becomes a reader meanwhile hears by the answer to that.
    if (found && found->downgrading) return false;
    if (found && found->held && found->wants_something())
      fail(name_, " has let acquisition ", each.acquisition,
           " hold by a node that is gone, and has not noticed");
    return true;
  });
}

} // namespace simulation

#include "queue/orphans.hpp"

#include <algorithm>
#include <utility>

namespace zklock::queue {

using kind = action::kind;

void orphans::remove(event_context& context, std::string name, bool is_permit) {
  auto one = std::find_if(nodes_.begin(), nodes_.end(),
                          [&](const node& each) { return each.name == name; });
  if (one == nodes_.end())
    one = nodes_.insert(nodes_.end(), {.name = std::move(name), .is_permit = is_permit});
  if (!one->in_flight) send(context, *one);
}

void orphans::send(event_context& context) {
  for (auto& one : nodes_)
    if (!one.in_flight) send(context, one);
}

bool orphans::removed(std::string_view name, answer result) {
  const auto one = std::find_if(nodes_.begin(), nodes_.end(),
                                [&](const node& each) { return each.name == name; });
  if (one == nodes_.end()) return false;
  if (may_succeed_later(result)) {
    one->in_flight = false;
    return true;
  }
  nodes_.erase(one);
  return false;
}

bool orphans::contains(std::string_view name) const noexcept {
  return std::any_of(nodes_.begin(), nodes_.end(),
                     [&](const node& each) { return each.name == name; });
}

void orphans::disconnected() noexcept {
  for (auto& one : nodes_)
    one.in_flight = false;
}

void orphans::send(event_context& context, node& one) {
  one.in_flight = true;
  context.actions.push_back(
      {.what = one.is_permit ? kind::remove_orphan_permit : kind::remove_orphan, .name = one.name});
}

} // namespace zklock::queue

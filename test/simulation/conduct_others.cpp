// A client's knowledge of other clients: from lists, and from the events of its watches.

#include "conduct.hpp"

#include <algorithm>
#include <utility>

namespace simulation {

// An entry that a recovery's list does not show is of no use any more: it was not created, or is
// too late.
void conduct::listed(list_kind kind, bool settled, const std::vector<node_id>& children) noexcept {
  const bool recovers = kind == list_kind::recovering;
  listing_ = false;
  if (recovers && !settled) return;
  is_watching_ |= settled && kind == list_kind::watching;
  if (settled && (caches_ || is_watching_)) note_others(children);
  recovering_ = false;
  if (!recovers) return;
  for (auto& [id, entry] : requested_) {
    if (!std::exchange(entry.in_flight, false)) continue;
    entry.left_behind |= std::none_of(children.begin(), children.end(), [&](node_id child) {
      return ensemble_.at(child).owner == session_ && ensemble_.at(child).entry == id;
    });
  }
}

// A list shows whether an own entry makes another client wait.
void conduct::note_others(const std::vector<node_id>& children) noexcept {
  listed_ = children;
  for (auto& [id, entry] : requested_) {
    entry.is_contended = is_wanted_by_others(id, entry);
    if (!entry.is_contended) entry.turns_since = 0;
  }
}

bool conduct::is_wanted_by_others(entry_id id, const requested_entry& entry) const noexcept {
  // A writer's node may have been replaced by a reader's.
  const auto ours = node_of(id);
  const role wants = ours == no_such_node ? entry.wants : ensemble_.at(ours).wants;
  return std::any_of(listed_.begin(), listed_.end(), [&](node_id child) {
    const node& other = ensemble_.at(child);
    const bool conflicts = wants == role::exclusive || other.wants == role::exclusive;
    return other.is_entry && other.owner != session_ && conflicts;
  });
}

// If no own request changes the line, another client does, which may be gone by now.
void conduct::line_changed() noexcept {
  is_watching_ = false;
  if (plan_.kind != lock_kind::exclusive) return;
  for (const auto& [id, entry] : requested_)
    if (entry.in_flight || (entry.deletes != 0 && !entry.removed)) return;
  for (auto& [id, entry] : requested_)
    entry.is_contended = true;
}

// The event of an entry comes before that of its directory. Until then the client knows of no other
// client if the last known entry is gone. A writer's node may have been replaced by a reader's.
void conduct::entry_gone(std::string_view name) noexcept {
  if (!is_watching_) return;
  std::erase_if(listed_, [&](node_id child) {
    const node& gone = ensemble_.at(child);
    return gone.name == name && (plan_.kind != lock_kind::shared || gone.wants == role::shared);
  });
  for (auto& [id, entry] : requested_) {
    if (is_wanted_by_others(id, entry)) continue;
    entry.is_contended = false;
    entry.turns_since = 0;
  }
}

} // namespace simulation

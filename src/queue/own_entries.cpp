#include "queue/own_entries.hpp"

#include <algorithm>

namespace zklock::queue {

using state = entry::state;

entry* own_entries::find(entry_id id) noexcept {
  const auto it = all_.find(id);
  return it == all_.end() ? nullptr : &it->second;
}

// Entries that hold came earlier, as a rule.
const entry& own_entries::at(demands::rank rank) const noexcept {
  auto behind = demands_.entries(rank.wants) - rank.before;
  const auto found = std::find_if(all_.rbegin(), all_.rend(), [&](const auto& each) {
    const entry& e = each.second;
    return e.wants == rank.wants && e.is_unassigned() && --behind == 0;
  });
  return found->second;
}

entry* own_entries::find_assigned(demand_id id) noexcept {
  const auto found = std::find_if(all_.rbegin(), all_.rend(),
                                  [id](const auto& each) { return each.second.assigned == id; });
  return found == all_.rend() ? nullptr : &found->second;
}

const entry* own_entries::find_cached(role wants) const noexcept {
  const auto& some = line_.groups().cached(wants);
  return some.empty() ? nullptr : some.begin()->second;
}

bool own_entries::is_any(role wants) const noexcept {
  return std::any_of(all_.begin(), all_.end(),
                     [wants](const auto& each) { return each.second.wants == wants; });
}

bool own_entries::is_any_downgrading() const noexcept {
  const auto& writers = line_.groups().held(role::exclusive);
  return std::any_of(writers.begin(), writers.end(),
                     [](const auto& each) { return each.second->is_downgrading(); });
}

bool own_entries::is_any_to_appear() const noexcept {
  return std::any_of(all_.begin(), all_.end(), [](const auto& each) {
    const entry& e = each.second;
    return e.is == state::creating || e.is == state::unconfirmed || e.is == state::abandoned ||
           e.replaced.is_open();
  });
}

// The counts include an acquisition that has brought its room as if it had an entry.
entry* own_entries::add(event_context& context, const demand& to) {
  if (!take_room(to.asked.has_room ? 0 : to.asked.permits)) return nullptr;
  return &insert(context, {.wants = to.asked.wants, .identity = to.asked.identity});
}

entry* own_entries::add_own(event_context& context, const demand& to, bool tries) {
  if (!take_room(to.asked.permits)) return nullptr;
  return &insert(context, {.wants = to.asked.wants,
                           .assigned = to.id,
                           .asked = to.asked,
                           .tries = tries,
                           .identity = to.asked.identity});
}

entry& own_entries::insert(event_context& context, entry&& made) {
  made.id = ++context.last_entry;
  made.sent = line_.channel().next_order();
  made.newest = demands_.mark();
  entry& e = all_.emplace_hint(all_.end(), made.id, made)->second;
  counts_.add(e);
  line_.channel().create_sent(e.wants);
  return e;
}

void own_entries::erase(entry& e) noexcept {
  counts_.remove(e);
  all_.erase(e.id);
  return_room();
}

bool own_entries::take_room(std::size_t nodes) noexcept {
  const auto needed = counts_.nodes() + nodes;
  if (needed <= owned_) return true;
  const auto need = all_.empty() ? room_need::first : room_need::more;
  if (!budget_.take(settings_.entry_bytes * (needed - owned_), need)) return false;
  owned_ = needed;
  return true;
}

void own_entries::return_room() noexcept {
  const auto needed = counts_.nodes();
  if (owned_ <= needed) return;
  budget_.put_back(settings_.entry_bytes * (owned_ - needed));
  owned_ = needed;
}

} // namespace zklock::queue

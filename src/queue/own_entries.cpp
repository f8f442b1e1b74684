// From the create of an entry to its turn.

#include "queue/own_entries.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace zklock::queue {

using kind = action::kind;
using state = entry::state;

own_entries::own_entries(const settings& settings, node_budget& budget, line& line,
                         waiters& waiters, permits& permits, lock_cache& cache,
                         std::pmr::memory_resource* memory)
    : settings_(settings),
      budget_(budget),
      line_(line),
      waiters_(waiters),
      permits_(permits),
      cache_(cache),
      all_(memory),
      reuse_(settings, budget, line, waiters, cache, all_) {}

entry* own_entries::find(entry_id id) noexcept {
  const auto it = all_.find(id);
  return it == all_.end() ? nullptr : &it->second;
}

const entry& own_entries::at(waiters::rank_in_line rank) const noexcept {
  // Entries that hold came earlier, as a rule.
  auto behind = static_cast<std::ptrdiff_t>(waiters_.unassigned(rank.wants)) - rank.before - 1;
  const auto found = std::find_if(all_.rbegin(), all_.rend(), [&](const auto& each) {
    const entry& e = each.second;
    return e.wants == rank.wants && e.is_unassigned() && behind-- == 0;
  });
  return found->second;
}

entry* own_entries::add(event_context& context, lock_mode asked) {
  if (!take_room(asked.permits, asked.has_room ? spare_ : 0)) return nullptr;
  const entry_id id = ++context.last_entry;
  const auto made = all_.emplace_hint(all_.end(), id,
                                      entry{.id = id,
                                            .wants = asked.wants,
                                            .room = asked.permits,
                                            .sent = line_.next_order(),
                                            .newest = waiters_.newest()});
  line_.create_sent(asked.wants);
  return &made->second;
}

// `spare`: how much of the spare room may be used.
bool own_entries::take_room(std::size_t nodes, std::size_t spare) noexcept {
  const auto own = std::min(nodes, spare);
  const auto need = all_.empty() ? room_need::first : room_need::more;
  if (!budget_.take(settings_.entry_bytes * (nodes - own), need)) return false;
  spare_ -= own;
  return true;
}

void own_entries::give_back(std::size_t nodes) noexcept {
  spare_ += nodes;
  return_room();
}

void own_entries::return_room() noexcept {
  if (spare_ == 0) return;
  const auto kept = std::min(spare_, waiters_.count_brought() + count_lacking());
  budget_.give_back(settings_.entry_bytes * (spare_ - kept));
  spare_ = kept;
}

// An acquisition may take permits by an entry that was made for another acquisition: so the count
// is over all acquisitions in line, and the room of all their entries.
std::size_t own_entries::count_lacking() const noexcept {
  if (!settings_.policy.holds_by_permits()) return 0;
  const auto wanted = waiters_.count_in_line();
  std::size_t had = 0;
  auto left = waiters_.unassigned(role::exclusive);
  for (auto it = all_.rbegin(); left != 0 && it != all_.rend(); ++it) {
    if (!it->second.is_unassigned()) continue;
    had += it->second.room;
    --left;
  }
  return wanted - std::min(wanted, had);
}

bool own_entries::arrive(event_context& context, entry& e, state is) {
  // An entry with the number had it in a directory that is no more.
  if (const auto it = line_.own().find(e.number); it != line_.own().end()) {
    // What was to replace it shows in the list of permits.
    if (it->second->is_replacing())
      line_.erase(*it->second);
    else
      lose_node(context, *it->second);
  }
  // Others may have been first meanwhile.
  if (line_.own().empty()) permits_.set_count_known(false);
  const bool counts = e.number >= 0 && e.number <= last_number;
  if (counts && e.is != state::abandoned) {
    e.is = is;
    line_.insert(e);
    return true;
  }
  vacate(context, e, reason::sequence_exhausted);
  remove(context, e);
  return false;
}

void own_entries::vacate(event_context& context, entry& e, reason why) {
  const auto told = [&](acquisition_id id) {
    context.actions.push_back({.what = kind::refuse, .why = why, .acquisition = id});
  };
  if (e.is == state::abandoned) return waiters_.remove_abandoned();
  if (!e.is_try()) {
    if (why == reason::none) return waiters_.remove_entry(e.wants);
    if (const auto refused = waiters_.refuse_entry(e.wants, e.newest)) told(*refused);
    return;
  }
  const acquisition_id id = std::exchange(e.acquisition, 0);
  if (why == reason::none) return waiters_.requeue(id);
  waiters_.unassign(id);
  told(id);
}

void own_entries::found(entry& e, std::int64_t czxid) noexcept {
  e.is = e.permits() == 0 ? state::queued : state::granting;
  e.czxid = czxid;
}

void own_entries::reject(event_context& context, entry& e, reason why) {
  if (e.permits() == 0)
    vacate(context, e, why);
  else
    refuse(context, e, why);
  remove(context, e);
}

void own_entries::drop(event_context& context, entry& e) {
  vacate(context, e);
  if (e.is == state::queued || e.is == state::inspecting || e.is == state::cached)
    return remove(context, e);
  e.is = state::abandoned;
  waiters_.add_abandoned();
  ++leaving_;
}

bool own_entries::leave_line(event_context& context, const action& told) {
  const auto rank = waiters_.leave_line(told.acquisition);
  if (!rank) return false;
  entry& e = *find(at(*rank).id);
  context.actions.push_back(told);
  if (!waiters_.is_needed(e.wants)) drop(context, e);
  return true;
}

bool own_entries::shed(event_context& context) {
  bool any = false;
  for (const auto wants : {role::exclusive, role::shared}) {
    std::optional<sequence> end;
    while (!waiters_.is_needed(wants)) {
      entry* const e = line_.groups().last_not_held(wants, end);
      if (!e) break;
      end = e->number;
      if (!e->is_unassigned()) continue;
      any = true;
      drop(context, *e);
    }
  }
  return any;
}

void own_entries::disconnected() noexcept {
  for (auto& [id, e] : all_) {
    e.ahead = entry::plan::none;
    if (!e.is_requested()) e.data = entry::node_data::unwatched;
    e.replaced.interrupt();
    // The list of the recovery shows whether it is still there.
    if (e.is == state::refused) e.is = state::removing;
    if (e.is == state::inspecting && e.permits() == 0) {
      line_.erase(e);
      e.is = state::unconfirmed;
    }
    if (e.is == state::creating) e.is = state::unconfirmed;
  }
}

bool own_entries::is_any_to_appear() const noexcept {
  return std::any_of(all_.begin(), all_.end(), [](const auto& each) {
    const entry& e = each.second;
    return e.is == state::creating || e.is == state::unconfirmed || e.is == state::abandoned ||
           e.replaced.is_open();
  });
}

} // namespace zklock::queue

// Entries that are kept for the next acquisition.

#include "queue/own_entries.hpp"

#include <algorithm>

namespace zklock::queue {

using kind = action::kind;
using state = entry::state;

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

void own_entries::keep(event_context& context, entry& e) {
  context.actions.push_back({.what = kind::forget, .acquisition = e.acquisition});
  keep(e);
  watch_data_of(context, e);
}

void own_entries::keep(entry& e) noexcept {
  e.acquisition = 0;
  e.is = state::cached;
  ++cached(e.wants);
  line_.regroup(e);
  ++e.turn;
  waiters_.keep(e.wants);
}

void own_entries::hand_out(entry& e) noexcept {
  waiters_.unassign(e.acquisition);
  keep(e);
}

void own_entries::leave_cache(const entry& e) noexcept {
  if (e.is == state::cached) --cached(e.wants);
}

void own_entries::hold_outside(entry& e, acquisition_id holder) {
  leave_cache(e);
  e.is = state::held;
  line_.regroup(e);
  waiters_.assign_kept(e, holder);
}

void own_entries::watch_data(event_context& context) {
  for (const auto wants : {role::exclusive, role::shared})
    for (const auto* some : {&line_.groups().held(wants), &line_.groups().cached(wants)})
      for (const auto& [number, e] : *some)
        watch_data(context, *e);
}

void own_entries::watch_data_of(event_context& context, entry& e) {
  const bool may_be_kept = e.permits() == 0 && !line_.has_others(e.wants);
  if (may_be_kept && (cache_.is_asked() || cache_.is_watched())) watch_data(context, e);
}

// A reader's node that replaces a writer's node has data of its own.
void own_entries::watch_data(event_context& context, entry& e) {
  if (e.data != entry::node_data::unwatched || e.is_downgrading()) return;
  e.data = entry::node_data::asked;
  context.actions.push_back(
      {.what = kind::watch_data, .wants = e.wants, .entry = e.id, .number = e.number});
}

// A hand-over that waits for a proof of the session is not granted either.
void own_entries::request_release(event_context& context, entry& e) {
  e.data = entry::node_data::changed;
  const bool is_handed_over = e.is == state::queued && e.turn != 0;
  if (e.is == state::cached || is_handed_over) drop(context, e);
}

void own_entries::drop_cached(event_context& context) {
  for (const auto wants : {role::exclusive, role::shared})
    while (!line_.groups().cached(wants).empty())
      drop(context, *line_.groups().cached(wants).begin()->second);
}

} // namespace zklock::queue

// Entries that are kept for the next acquisition.

#include "queue/own_entries.hpp"

#include <algorithm>
#include <vector>

namespace zklock::queue {

using kind = action::kind;
using state = entry::state;

const entry* own_entries::find_cached(role wants) const noexcept {
  if (cached(wants) == 0) return nullptr;
  const auto found = std::find_if(all_.begin(), all_.end(), [wants](const auto& each) {
    return each.second.is == state::cached && each.second.wants == wants;
  });
  return &found->second;
}

bool own_entries::is_any_held() const noexcept {
  return std::any_of(all_.begin(), all_.end(), [](const auto& each) {
    return each.second.is == state::held && each.second.permits() == 0;
  });
}

// Where only hand-overs gain from it, a lock that is not hot does not pay for it. The answer is
// here before the entry may not be handed over any more, if the holds are not very short.
bool own_entries::is_worth_watching() const noexcept {
  if (!cache_.is_worth_it()) return false;
  if (settings_.cache) return is_any_held();
  return std::any_of(all_.begin(), all_.end(), [this](const auto& each) {
    const entry& e = each.second;
    return e.is == state::held && 2 * std::uint64_t{e.handoffs} >= settings_.local_handoffs &&
           waiters_.is_next(e.wants);
  });
}

bool own_entries::is_any(role wants) const noexcept {
  return std::any_of(all_.begin(), all_.end(),
                     [wants](const auto& each) { return each.second.wants == wants; });
}

bool own_entries::is_any_downgrading() const noexcept {
  return std::any_of(all_.begin(), all_.end(),
                     [](const auto& each) { return each.second.is_downgrading(); });
}

// The list that sets the watch shows all that were in line before, and the watch tells of those
// that come later.
bool own_entries::is_clear(role wants) const noexcept {
  return cache_.is_watched() && !line_.has_others(wants);
}

// Readers hold beside each other, each by an entry of its own.
bool own_entries::serves_next(role wants) const noexcept {
  const bool may_be_clear = is_clear(wants) || (cache_.is_asked() && !line_.has_others(wants));
  if (wants == role::shared || !may_be_clear) return false;
  return std::any_of(all_.begin(), all_.end(), [this](const auto& each) {
    const entry& e = each.second;
    return (e.is == state::held || e.is == state::cached) && e.wants == role::exclusive &&
           !e.is_downgrading() && e.turn < settings_.most_turns;
  });
}

bool own_entries::can_keep(const entry& e) const noexcept {
  if (e.permits() != 0 || e.is_downgrading() || e.lent || e.turn == settings_.most_turns)
    return false;
  const bool is_wanted = (settings_.cache && waiters_.is_idle()) || is_kept_for_next(e);
  return is_wanted && cache_.is_worth_it() && line_.can_ask() && !line_.has_others(e.wants) &&
         line_.count_others() <= settings_.most_readers;
}

// A change of ours ends the watch that is being set. With many that wait here one change would
// follow the other, and none of them could be granted by what is kept. So the next one waits for
// the answer, as it would if it came now. The list is answered, in its order on the channel, or the
// connection is lost; then the list of the recovery is followed by another one with a watch.
bool own_entries::is_kept_for_next(const entry& e) const noexcept {
  return e.wants == role::exclusive && cache_.is_asked() && waiters_.is_next(e.wants);
}

void own_entries::keep(event_context& context, entry& e) {
  context.actions.push_back({.what = kind::forget, .acquisition = e.acquisition});
  keep(e);
}

void own_entries::keep(entry& e) noexcept {
  e.acquisition = 0;
  e.is = state::cached;
  ++cached(e.wants);
  ++e.turn;
  waiters_.keep(e.wants);
}

// What waits for other kinds of locks may want different things. The other entries are behind this
// one, for those that wait.
const entry* own_entries::find_to_hand_out() const noexcept {
  if (settings_.policy != lock_policy::exclusive || !is_clear(role::exclusive)) return nullptr;
  // Other locks wait for its bytes: they try again at each event.
  if (budget_.is_closed()) return nullptr;
  const entry* held = nullptr;
  for (const auto& [id, e] : all_) {
    if (e.is == state::held)
      held = &e;
    else if (e.is != state::queued || e.is_try())
      return nullptr;
  }
  return held && held->turn < settings_.most_turns ? held : nullptr;
}

void own_entries::hand_out(entry& e) noexcept {
  waiters_.unassign(e.acquisition);
  keep(e);
}

void own_entries::leave_cache(const entry& e) noexcept {
  if (e.is == state::cached) --cached(e.wants);
}

void own_entries::hold_outside(entry& e) {
  leave_cache(e);
  e.is = state::held;
  waiters_.assign(e);
}

void own_entries::drop_cached(event_context& context) {
  std::vector<entry*> kept;
  for (auto& [id, e] : all_)
    if (e.is == state::cached) kept.push_back(&e);
  for (entry* const e : kept)
    drop(context, *e);
}

} // namespace zklock::queue

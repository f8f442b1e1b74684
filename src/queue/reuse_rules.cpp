#include "queue/reuse_rules.hpp"

#include <algorithm>
#include <cstdint>

namespace zklock::queue {

using state = entry::state;

// The list that arms the watch shows all entries that were in line before, and the watch tells of
// later entries. The knowledge of the line can be void.
bool reuse_rules::is_clear(role wants) const noexcept {
  return cache_.is_watched() && line_.is_known() && !line_.others().conflict(wants);
}

// If only hand-overs gain from the watch, a lock that is not hot does not pay for it. Unless the
// holds are very short, the answer is here before the limit of hand-overs is reached.
bool reuse_rules::is_worth_watching() const noexcept {
  if (!cache_.is_worth_it()) return false;
  const auto& writers = line_.groups().held(role::exclusive);
  const auto& readers = line_.groups().held(role::shared);
  const auto may_be_cached = [](const auto& each) { return each.second->may_be_reused(); };
  if (settings_.cache)
    return std::any_of(writers.begin(), writers.end(), may_be_cached) ||
           std::any_of(readers.begin(), readers.end(), may_be_cached);
  // Readers are not handed over.
  return std::any_of(writers.begin(), writers.end(), [this](const auto& each) {
    const entry& e = *each.second;
    return e.may_be_reused() && 2 * std::uint64_t{e.handoffs} >= settings_.local_handoffs &&
           demands_.is_next(e.wants);
  });
}

// Readers hold beside each other, each by an entry of its own.
bool reuse_rules::serves_next(role wants) const noexcept {
  const bool may_be_clear =
      is_clear(wants) || (cache_.is_arming() && !line_.others().conflict(wants));
  if (wants == role::shared || !may_be_clear || demands_.is_any_named()) return false;
  const auto serves = [this](const auto& each) {
    const entry& e = *each.second;
    return !e.is_downgrading() && e.may_be_reused() && e.turn < settings_.most_turns;
  };
  const auto& held = line_.groups().held(role::exclusive);
  const auto& cached = line_.groups().cached(role::exclusive);
  return std::any_of(held.begin(), held.end(), serves) ||
         std::any_of(cached.begin(), cached.end(), serves);
}

// Only to the first acquisition that waits here: the acquisitions of a client keep their order. Not
// a reader's entry: a later reader, by an entry of its own, may hold beside this reader and release
// first. The next holder of this entry would have a lower token than that reader.
bool reuse_rules::can_hand_over(const entry& e) const noexcept {
  if (e.permits() != 0 || e.wants == role::shared || e.is_downgrading()) return false;
  if (e.turn == settings_.most_turns || !e.may_be_reused() || demands_.is_any_named()) return false;
  if (e.handoffs >= settings_.local_handoffs && !is_clear(e.wants)) return false;
  return demands_.is_next(e.wants);
}

bool reuse_rules::can_cache(const entry& e) const noexcept {
  if (!e.may_be_reused()) return false;
  if (e.permits() != 0 || e.is_downgrading() || e.turn == settings_.most_turns) return false;
  const bool is_wanted = (settings_.cache && demands_.is_idle()) || is_cached_for_next(e);
  return is_wanted && cache_.is_worth_it() && line_.channel().can_send() &&
         !line_.others().conflict(e.wants) && line_.others().size() <= settings_.most_readers;
}

// A change of ours ends the watch that is being armed. If many acquisitions wait here, one change
// follows another, and no cached entry is ever granted. So the next acquisition waits for the
// answer, as it would if it came now. The answer comes, in its order on the channel, or the
// connection is lost; then the list of the recovery is followed by another list with a watch.
bool reuse_rules::is_cached_for_next(const entry& e) const noexcept {
  return e.wants == role::exclusive && cache_.is_arming() && demands_.is_next(e.wants) &&
         !demands_.is_any_named();
}

// Acquisitions of other kinds of locks may want different modes. All other entries of ours are
// behind the held entry, for acquisitions that wait.
const entry* reuse_rules::find_to_lend() const noexcept {
  if (settings_.policy != lock_policy::exclusive || !is_clear(role::exclusive)) return nullptr;
  // Other locks wait for the room of the entry.
  if (budget_.is_any_waiting() || demands_.is_any_named()) return nullptr;
  const entry* held = nullptr;
  for (const auto& [id, e] : entries_) {
    if (e.is == state::held)
      held = &e;
    else if (e.is != state::queued || e.is_own())
      return nullptr;
  }
  const bool can_grant = held && held->turn < settings_.most_turns &&
                         held->data == entry::node_data::watched && !held->identity;
  return can_grant ? held : nullptr;
}

} // namespace zklock::queue

#include "client/cached_locks.hpp"

#include <iterator>
#include <vector>

namespace zklock::detail {

// How many locks the hand passes in a row, and how long the hand then rests.
constexpr std::size_t looks_at_once = 16;
constexpr std::chrono::milliseconds least_pause{10};

cached_locks::cached_locks(client_core& core) : core_(core), timer_(core) {}

void cached_locks::update(lock_in_use& used) {
  note_conflicts(used);
  if (!core_.options().lock_cache) return;
  note_gone(used);
  cached_place& place = used.cached();
  const bool was_cached = place.counted != 0;
  count(used);
  const bool is_cached = place.counted != 0;
  if (is_cached && was_cached) return;
  // `count` leaves a lock without a cached entry listed.
  place.ring_hook.unlink();
  place.look_hook.unlink();
  if (!is_cached) return;
  place.seen_use = used.times().last_use();
  ring_.push_back(place);
  place.look_at = until(used);
  by_time_.insert(place);
  look_again_at(is_full() ? clock::time_point::min() : place.look_at);
}

// In a conflict another client wants a lock of which an entry is cached. The conflict is over when
// no entry of this client is left.
void cached_locks::note_conflicts(lock_in_use& used) {
  const auto& queue = used.driver().state();
  const auto conflicts = queue.cache_conflicts();
  if (std::exchange(used.cached().seen_conflicts, conflicts) != conflicts)
    used.times().conflict_began(clock::now(), queue.is_any(queue::role::shared));
  if (used.times().is_in_conflict() && queue.entries().empty())
    used.times().conflict_ended(clock::now());
}

void cached_locks::count(lock_in_use& used) {
  cached_place& place = used.cached();
  const auto now = used.driver().state().cached();
  const auto before = place.counted;
  if (now == before) return;
  counter_.add(now, before);
  bytes_ += (now - before) * place.entry_bytes;
  place.counted = now;
}

cached_locks::clock::time_point cached_locks::until(lock_in_use& used) const noexcept {
  return used.times().cached_until(core_.options().lock_cache->idle_limit);
}

// The queue takes an entry that is held on the fast path for a cached entry. Such entries do not
// count here: `bytes_` is scaled by their share, as if all entries had the mean size.
bool cached_locks::is_full() const noexcept {
  const auto most = core_.options().max_path_bytes / 2;
  return bytes_ > most && bytes_ * counter_.unused() > most * counter_.known();
}

// The timer is not set anew when a lock is used again: it then expires without effect.
void cached_locks::look_again_at(clock::time_point when) {
  if (when >= looks_at_) return;
  looks_at_ = when;
  timer_.call_at(when, [this] {
    looks_at_ = clock::time_point::max();
    look_at_due();
    evict();
    if (!by_time_.empty()) look_again_at(by_time_.begin()->look_at);
  });
}

// A lock that is held on the fast path is skipped: its entry cannot be evicted, so the line would
// be opened for the entry again, and the entry counted and chosen once more. If another thread
// acquires the entry after this look, that happens once: the next look finds the lock held.
void cached_locks::look_at_due() {
  const auto now = clock::now();
  while (!by_time_.empty() && by_time_.begin()->look_at <= now) {
    cached_place& place = *by_time_.begin();
    lock_in_use& used = place.of;
    place.look_hook.unlink();
    used.note_fast_uses();
    place.look_at = until(used);
    if (place.look_at > now) {
      by_time_.insert(place);
    } else if (!used.is_held_fast()) {
      used.driver().evict();
    } else {
      place.look_at = now + least_pause;
      by_time_.insert(place);
    }
  }
}

// If all locks are in use, or are used all the time, the hand rests for a while.
void cached_locks::evict() {
  for (std::size_t looks = 0; is_full(); ++looks) {
    if (looks == looks_at_once) return look_again_at(clock::now() + least_pause);
    cached_place& place = ring_.front();
    lock_in_use& first = place.of;
    ring_.splice(ring_.end(), ring_, ring_.iterator_to(place));
    first.note_fast_uses();
    const auto use = first.times().last_use();
    const bool is_used = std::exchange(place.seen_use, use) != use;
    if (!is_used && !first.is_held_fast()) first.driver().evict();
  }
}

// The entries that an earlier call evicts may still be there: this call waits for them, too.
void cached_locks::drop_all(const operation<error_code>& op) {
  drop added{.done = op};
  if (!drops_.empty()) added.left = drops_.back().left;
  std::vector<lock_in_use*> dropped;
  for (auto& place : ring_) {
    dropped.push_back(&place.of);
    for (const auto& [id, e] : place.of.entries())
      if (e.is == queue::entry::state::cached) added.left.emplace(&place.of, id);
  }
  if (added.left.empty()) return op->post({});
  drops_.push_back(std::move(added));
  for (lock_in_use* const used : dropped)
    used->driver().evict();
}

void cached_locks::note_gone(const lock_in_use& used) {
  const auto& entries = used.driver().state().entries();
  for (auto it = drops_.begin(); it != drops_.end();) {
    auto& left = it->left;
    for (auto e = left.lower_bound({&used, 0}); e != left.end() && e->first == &used;)
      e = entries.contains(e->second) ? std::next(e) : left.erase(e);
    if (!left.empty()) {
      ++it;
      continue;
    }
    it->done->post({});
    it = drops_.erase(it);
  }
}

void cached_locks::clear() noexcept {
  ring_.clear();
  by_time_.clear();
  counter_.clear();
  bytes_ = 0;
}

void cached_locks::end(errc why) {
  clear();
  for (const auto& each : std::exchange(drops_, {}))
    each.done->post(why);
  timer_.cancel();
}

void cached_locks::abandon() noexcept {
  clear();
  for (const auto& each : drops_)
    each.done->drop();
  drops_.clear();
}

} // namespace zklock::detail

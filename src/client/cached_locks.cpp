#include "client/cached_locks.hpp"

#include <iterator>
#include <utility>

namespace zklock::detail {

namespace {

// How many locks the hand passes in a row, and how long the hand then rests.
constexpr std::size_t looks_at_once = 16;
constexpr std::chrono::milliseconds least_pause{10};

} // namespace

cached_locks::cached_locks(client_core& core) : core_(core), timer_(core.strand()) {}

void cached_locks::update(lock_in_use& used) {
  note_conflicts(used);
  if (!core_.options().lock_cache) return;
  if (!leaving_.empty()) note_gone(used);
  cached_place& place = used.cached();
  const bool kept = place.counted_ != 0;
  count(used);
  const bool keeps = place.counted_ != 0;
  if (keeps && kept) return;
  // `count` leaves a lock without a cached entry listed.
  place.ring_hook_.unlink();
  place.look_hook_.unlink();
  if (!keeps) return;
  place.seen_use_ = used.times().last_use();
  ring_.push_back(place);
  place.look_at_ = until(used);
  by_time_.insert(place);
  look_again_at(is_full() ? clock::time_point::min() : place.look_at_);
}

// In a conflict another client wants a lock of which an entry is cached. The conflict is over when
// no entry of this client is left.
void cached_locks::note_conflicts(lock_in_use& used) {
  const auto& queue = used.driver().state();
  const auto conflicts = queue.cache_conflicts();
  if (std::exchange(used.cached().seen_conflicts_, conflicts) != conflicts)
    used.times().conflict_began(clock::now(), queue.is_any(queue::role::shared));
  if (used.times().is_in_conflict() && queue.entries().empty())
    used.times().conflict_ended(clock::now());
}

void cached_locks::count(lock_in_use& used) {
  cached_place& place = used.cached();
  const auto now = used.driver().state().cached();
  const auto before = place.counted_;
  if (now == before) return;
  counter_.add(now, before);
  bytes_ += (now - before) * place.entry_bytes_;
  place.counted_ = now;
}

cached_locks::clock::time_point cached_locks::until(lock_in_use& used) const noexcept {
  return used.times().keep_until(core_.options().lock_cache->idle_limit);
}

// The queue takes an entry that is held on the fast path for a cached entry. Such entries do not
// count here: `bytes_` is scaled by their share, as if all entries had the mean size.
bool cached_locks::is_full() const noexcept {
  const auto most = core_.options().owned_bytes / 2;
  return bytes_ > most && bytes_ * counter_.unused() > most * counter_.known();
}

// The timer is not set anew when a lock is used again: it then expires without effect.
void cached_locks::look_again_at(clock::time_point when) {
  if (when >= looks_at_) return;
  looks_at_ = when;
  timer_->expires_at(when);
  core_.when_expired(*timer_, [this] {
    looks_at_ = clock::time_point::max();
    look_at_due();
    evict();
    if (!by_time_.empty()) look_again_at(by_time_.begin()->look_at_);
  });
}

// A lock that is held on the fast path is skipped: its entry cannot be evicted, so the line would
// be opened for the entry again, and the entry counted and chosen once more. If another thread
// acquires the entry after this look, that happens once: the next look finds the lock held.
void cached_locks::look_at_due() {
  const auto now = clock::now();
  while (!by_time_.empty() && by_time_.begin()->look_at_ <= now) {
    cached_place& place = *by_time_.begin();
    lock_in_use& used = place.of_;
    place.look_hook_.unlink();
    used.note_fast_uses();
    place.look_at_ = until(used);
    if (place.look_at_ > now) {
      by_time_.insert(place);
    } else if (!used.is_held_fast()) {
      used.driver().evict();
    } else {
      place.look_at_ = now + least_pause;
      by_time_.insert(place);
    }
  }
}

// If all locks are in use, or are used all the time, the hand rests for a while.
void cached_locks::evict() {
  for (std::size_t looks = 0; is_full(); ++looks) {
    if (looks == looks_at_once) return look_again_at(clock::now() + least_pause);
    cached_place& place = ring_.front();
    lock_in_use& first = place.of_;
    ring_.splice(ring_.end(), ring_, ring_.iterator_to(place));
    first.note_fast_uses();
    const auto use = first.times().last_use();
    const bool is_used = std::exchange(place.seen_use_, use) != use;
    if (!is_used && !first.is_held_fast()) first.driver().evict();
  }
}

// The entries that an earlier call evicts may still be there: this call waits for the earlier call.
void cached_locks::drop_all(const operation<error_code>& op) {
  const auto by = drops_.insert(drops_.end(), {.done = op});
  const auto before = by == drops_.begin() ? by : std::prev(by);
  const auto add = [&](std::vector<leaving>& entries, queue::entry_id entry) {
    entries.push_back({entry, by});
    ++by->left;
  };
  for (auto& [used, entries] : leaving_)
    for (std::size_t i = 0, end = entries.size(); i < end; ++i)
      if (entries[i].by == before) add(entries, entries[i].entry);
  std::vector<lock_in_use*> dropped;
  for (auto& place : ring_) {
    lock_in_use& used = place.of_;
    dropped.push_back(&used);
    for (const auto& [id, e] : used.entries())
      if (e.is == queue::entry::state::cached) add(leaving_[&used], id);
  }
  if (by->left == 0) {
    drops_.erase(by);
    return op->post({});
  }
  for (lock_in_use* const used : dropped)
    used->driver().evict();
}

void cached_locks::note_gone(const lock_in_use& used) {
  const auto found = leaving_.find(&used);
  if (found == leaving_.end()) return;
  const auto& entries = used.driver().state().entries();
  std::erase_if(found->second, [&](const leaving& each) {
    if (entries.contains(each.entry)) return false;
    if (--each.by->left == 0) {
      each.by->done->post({});
      drops_.erase(each.by);
    }
    return true;
  });
  if (found->second.empty()) leaving_.erase(found);
}

void cached_locks::end(errc why) {
  ring_.clear();
  by_time_.clear();
  counter_.clear();
  bytes_ = 0;
  leaving_.clear();
  for (const auto& each : std::exchange(drops_, {}))
    each.done->post(why);
  timer_->cancel();
}

void cached_locks::abandon() noexcept {
  ring_.clear();
  by_time_.clear();
  counter_.clear();
  bytes_ = 0;
  leaving_.clear();
  for (const auto& each : drops_)
    each.done->drop();
  drops_.clear();
  timer_.reset();
}

} // namespace zklock::detail

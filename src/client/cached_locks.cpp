#include "client/cached_locks.hpp"

#include "client/client_impl.hpp"

#include <algorithm>

namespace zklock::detail {

cached_locks::cached_locks(client_impl& client) : client_(client), timer_(client.strand()) {}

void cached_locks::update(lock_in_use& used) {
  used.note_conflicts();
  if (!client_.options().lock_cache) return;
  if (!drops_.empty()) note_gone(used);
  const bool kept = used.counted_as_cached != 0;
  count(used);
  const bool keeps = used.counted_as_cached != 0;
  if (keeps && kept) return;
  // One that kept nothing since its last event is still listed.
  used.cached_hook.unlink();
  if (!keeps) return;
  locks_.push_back(used);
  const bool is_full = bytes_ > client_.options().owned_bytes / 2;
  look_again_at(is_full ? clock::time_point::min() : until(used));
}

void cached_locks::count(lock_in_use& used) {
  const auto now = used.driver().state().cached();
  const auto before = used.counted_as_cached;
  if (now == before) return;
  count_.store(count_.load(std::memory_order_relaxed) + now - before, std::memory_order_relaxed);
  bytes_ -= bytes_of(used);
  used.counted_as_cached = now;
  bytes_ += bytes_of(used);
}

cached_locks::clock::time_point cached_locks::until(const lock_in_use& used) const noexcept {
  return used.times().keep_until(client_.options().lock_cache->idle_limit);
}

std::size_t cached_locks::bytes_of(const lock_in_use& used) noexcept {
  return used.counted_as_cached * used.entry_bytes();
}

// One timer for all. It is not set anew when a lock is used again: it then finds nothing to do.
void cached_locks::look_again_at(clock::time_point when) {
  if (when >= looks_at_) return;
  looks_at_ = when;
  timer_->expires_at(when);
  client_.when_expired(*timer_, [this] {
    if (client_.is_over()) return;
    looks_at_ = clock::time_point::max();
    give_back_some();
  });
}

// An entry that is held beside the queue is kept as far as the queue knows. It cannot be given
// back: it would be offered again, counted, and given back once more. Where another thread acquires
// it after this look, that happens once: the next look finds it held.
void cached_locks::give_back_some() {
  const auto now = clock::now();
  const auto most = client_.options().owned_bytes / 2;
  std::size_t bytes = 0;
  auto next = clock::time_point::max();
  std::vector<lock_in_use*> unused;
  for (auto& used : locks_) {
    used.note_offered_uses();
    if (used.is_offer_held()) {
      next = std::min(next, until(used));
    } else {
      bytes += bytes_of(used);
      unused.push_back(&used);
    }
  }
  std::vector<lock_in_use*> dropped;
  for (lock_in_use* const used : unused) {
    if (bytes > most || until(*used) <= now) {
      bytes -= bytes_of(*used);
      dropped.push_back(used);
    } else {
      next = std::min(next, until(*used));
    }
  }
  // A lock with a node to delete is in use: it is not forgotten while others are.
  for (lock_in_use* const used : dropped)
    used->driver().drop_cached();
  if (next != clock::time_point::max()) look_again_at(next);
}

void cached_locks::drop_all(const operation<error_code>& op) {
  drop all{.done = op, .left = {}};
  // What an earlier call gives back may still be there.
  for (const auto& earlier : drops_)
    all.left.insert(all.left.end(), earlier.left.begin(), earlier.left.end());
  std::vector<lock_in_use*> dropped;
  for (auto& used : locks_) {
    dropped.push_back(&used);
    for (const auto& [id, e] : used.entries())
      if (e.is == queue::entry::state::cached) all.left.emplace_back(&used, id);
  }
  if (op && all.left.empty()) return op->post({});
  if (op) drops_.push_back(std::move(all));
  for (lock_in_use* const used : dropped)
    used->driver().drop_cached();
}

void cached_locks::note_gone(const lock_in_use& used) {
  const auto& entries = used.driver().state().entries();
  for (auto& each : drops_) {
    std::erase_if(each.left, [&](const auto& one) {
      return one.first == &used && !entries.contains(one.second);
    });
    if (each.left.empty()) each.done->post({});
  }
  std::erase_if(drops_, [](const drop& each) { return each.left.empty(); });
}

void cached_locks::end(errc why) {
  locks_.clear();
  count_ = bytes_ = 0;
  for (const auto& each : std::exchange(drops_, {}))
    each.done->post(why);
  timer_->cancel();
}

void cached_locks::abandon() noexcept {
  locks_.clear();
  count_ = bytes_ = 0;
  for (const auto& each : drops_)
    each.done->drop();
  drops_.clear();
  timer_.reset();
}

} // namespace zklock::detail

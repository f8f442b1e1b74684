// What is known of others while an entry is kept, or may be.

#include "queue/scheduler.hpp"

namespace zklock::queue {

using kind = action::kind;

// Before an entry that is kept is granted again it must be known that no other client wants the
// lock. That is asked for while it is held, so that it is known when it is given back. So it is
// before an entry is handed over without a limit.
void scheduler::watch_for_others(event_context& context) {
  if (cache_.is_watched() || cache_.is_asked() || line_.is_listing()) return;
  if (entries_.count_cached() == 0 && !entries_.reuse().is_worth_watching()) return;
  cache_.ask();
  entries_.watch_data(context);
  list(context, kind::list_and_watch);
}

// An entry that is kept goes where another client wants the lock, or an acquisition of ours wants
// it in another way.
bool scheduler::is_cache_in_the_way() const noexcept {
  if (line_.count_others() > settings_.most_readers) return true;
  for (const auto kept : {role::exclusive, role::shared}) {
    if (!entries_.find_cached(kept)) continue;
    if (line_.has_others(kept)) return true;
    const auto other = kept == role::exclusive ? role::shared : role::exclusive;
    if (waiters_.is_any_wanting(other) && settings_.policy.conflicts(kept, other)) return true;
  }
  return false;
}

} // namespace zklock::queue

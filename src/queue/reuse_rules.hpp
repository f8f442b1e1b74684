#pragma once

#include "queue/demands.hpp"
#include "queue/entry.hpp"
#include "queue/line.hpp"
#include "queue/lock_cache.hpp"
#include "queue/node_budget.hpp"
#include "queue/settings.hpp"

namespace zklock::queue {

/// Whether an entry of ours is granted once more: handed over to the next acquisition that waits
/// here, cached for a later acquisition, or lent to the fast path.
class reuse_rules {
 public:
  /// All arguments must outlive the object.
  reuse_rules(const settings& settings, const node_budget& budget, const line& line,
              const demands& demands, const lock_cache& cache, const entry_map& entries) noexcept
      : settings_(settings),
        budget_(budget),
        line_(line),
        demands_(demands),
        cache_(cache),
        entries_(entries) {}

  /// Whether an acquisition with this role may be granted by a cached or held entry: no other
  /// client waits for the lock.
  bool is_clear(role wants) const noexcept;

  /// Whether a cached entry may be granted: no other client waits, or has requested its release.
  bool can_grant(const entry& cached) const noexcept {
    return cached.data == entry::node_data::watched && is_clear(cached.wants);
  }

  /// Whether it is worth watching for other clients, although no entry is cached.
  bool is_worth_watching() const noexcept;

  /// Whether any entry holds by its place in line. An entry that is cached beside it is granted by
  /// the queue.
  bool is_any_held() const noexcept { return line_.groups().is_any_held(); }

  /// Whether an acquisition is better off waiting for a held or cached entry of ours than for an
  /// entry of its own.
  bool serves_next(role wants) const noexcept;

  /// Whether a released entry goes to the next acquisition that waits here.
  bool can_hand_over(const entry& e) const noexcept;

  /// Whether a released entry is cached.
  bool can_cache(const entry& e) const noexcept;

  /// The held entry, if the line may grant it to all acquisitions that wait here. Null if there is
  /// none.
  const entry* find_to_lend() const noexcept;

 private:
  bool is_cached_for_next(const entry& e) const noexcept;

  const settings& settings_;
  const node_budget& budget_;
  const line& line_;
  const demands& demands_;
  const lock_cache& cache_;
  const entry_map& entries_;
};

} // namespace zklock::queue

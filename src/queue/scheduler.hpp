#pragma once

#include "queue/entry_life.hpp"
#include "queue/lock_requests.hpp"
#include "queue/own_entries.hpp"
#include "queue/tries.hpp"
#include "support/description.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace zklock::queue {

/// Grants the lock, creates missing entries, and asks for the knowledge that a grant needs.
class scheduler {
 public:
  /// All arguments must outlive the object.
  scheduler(const settings& settings, line& line, demands& demands, permits& permits,
            entry_life& life, lock_cache& cache)
      : settings_(settings),
        line_(line),
        demands_(demands),
        permits_(permits),
        entries_(life.entries()),
        life_(life),
        cache_(cache),
        requests_(settings, line, demands, permits, entries_),
        tries_(settings.policy, line, demands, permits, entries_, requests_) {}

  lock_requests& requests() noexcept { return requests_; }
  const lock_requests& requests() const noexcept { return requests_; }
  zklock::queue::tries& tries() noexcept { return tries_; }

  /// Does all that follows from an event.
  void advance(event_context& context);

  /// Creates entries for the acquisitions that wait. Suffices if nothing can be granted.
  void fill(event_context& context);

  /// Grants the entries whose permits exist.
  void grant_replaced(event_context& context);

  /// Evicts the cached entries, and does all that follows.
  void evict(event_context& context);

  /// Whether no acquisition waits without an entry, and no entry is left.
  bool is_idle() const noexcept { return entries_.all().empty() && demands_.empty(); }

  // Refusals.

  /// Refuses all acquisitions that do not hold.
  void refuse_all(event_context& context, reason why) {
    refuse_until(context, demands_.mark(), why);
  }

  /// Refuses the acquisitions up to and including `newest` that do not hold. Later acquisitions ask
  /// again: the reply to an earlier request tells them nothing.
  void refuse_until(event_context& context, demand_id newest, reason why);

  /// Refuses the acquisitions that asked for more permits than exist before the limit was known. If
  /// the limit is lowered later, acquisitions wait for it to be raised.
  void refuse_above(event_context& context, std::uint32_t most);

  // The budget: see `lock_queue`.

  bool starved() const noexcept { return needs_room() != room_need::none; }
  room_need needs_room() const noexcept;
  bool has_surplus() const noexcept;
  bool drop_surplus(event_context& context);

 private:
  template <class Writer>
  friend class zklock::description;

  bool create_next(event_context& context, const demand& next);
  void grant(event_context& context);
  bool grant(event_context& context, entry& e);
  bool take(event_context& context, entry& e);
  void prepare(event_context& context);
  void watch_for_others(event_context& context);
  bool is_cache_in_the_way() const noexcept;

  const settings& settings_;
  line& line_;
  demands& demands_;
  permits& permits_;
  own_entries& entries_;
  entry_life& life_;
  lock_cache& cache_;
  lock_requests requests_;
  zklock::queue::tries tries_;

  // An entry could not be created for want of room.
  bool starved_ = false;
};

/// Has the quorum check the entries by which the lock was granted since action `begin`, except the
/// entry that is `known` to exist.
void check_granted(event_context& context, std::size_t begin, entry_id known = 0);

} // namespace zklock::queue

#pragma once

#include "client/acquisition.hpp"
#include "client/keep_times.hpp"
#include "client/kept_entry.hpp"
#include "client/lock_driver.hpp"

#include <boost/intrusive/list_hook.hpp>
#include <boost/intrusive/set_hook.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <memory_resource>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace zklock::detail {

class client_impl;
class lock_counters;

/// One lock of one client: its acquisitions, and the driver of its queue. Used on the client's
/// strand only.
///
/// Invariant: it has each acquisition from its start until no node of it is left.
class lock_in_use final : lock_listener {
 public:
  lock_in_use(client_impl& client, std::shared_ptr<const lock_definition> lock,
              const queue::settings& settings, queue::node_budget& budget,
              std::pmr::memory_resource* memory);

  // What the callers want.
  void start(const std::shared_ptr<acquisition>& c);
  /// Gives the lock back, or gives up waiting.
  void release(const acquisition& c);
  void downgrade(const acquisition& c) { driver_.downgrade(c.id); }

  /// The outcome of an owner's acquire.
  enum class sharing {
    /// The owner does not hold the lock: it gets in line.
    none,
    /// The owner holds it, but the session is not proven: nothing is granted yet.
    unproven,
    /// It was granted or refused.
    done,
  };

  /// Grants an owner that holds the lock another hold, or refuses.
  sharing share(const std::shared_ptr<acquisition>& c);

  /// Whether an owner holds it.
  bool is_held_by(std::uint64_t owner) const noexcept;

  lock_counters& counters() noexcept { return counters_; }

  lock_driver& driver() noexcept { return driver_; }
  const lock_driver& driver() const noexcept { return driver_; }

  const lock_definition& name() const noexcept { return *driver_.lock(); }

  /// Whether it is the same lock, of the same kind.
  bool is_for(const lock_definition& lock) const noexcept;

  /// Whether the servers have confirmed that an acquisition is in line, or it waits for room.
  bool in_line(const acquisition& c) const noexcept { return driver_.state().in_line(c.id); }

  // What uses the lock, with what is offered: that is taken back.

  const std::pmr::unordered_map<queue::acquisition_id, std::shared_ptr<acquisition>>&
  acquisitions() {
    take_back();
    return acquisitions_;
  }
  const queue::entry_map& entries() {
    take_back();
    return driver_.state().entries();
  }

  /// Ends the offer of what is kept. The acquisitions that use it are ours then.
  void take_back();
  /// The same, and the execution context is being destroyed: those that wait for it are dropped.
  void abandon() noexcept;
  /// Takes an acquisition that gives up out of the line for what is kept, if it is there.
  void leave_line(acquisition& c);
  /// Looks at those that wait for it when the earliest deadline is reached.
  void watch_line();
  /// Refuses those whose time is up.
  void refuse_overdue();
  /// What is offered counts as used where it was, since the last look.
  void note_offered_uses();
  /// Whether what is offered is held. Another thread may change that at any time.
  bool is_offer_held() const noexcept { return offered_ && offered_->is_held(); }

  /// How long its entries are worth keeping.
  const keep_times& times() const noexcept { return times_; }
  std::size_t entry_bytes() const noexcept { return entry_bytes_; }
  /// Looks whether other clients want what is kept, or wanted it until now.
  void note_conflicts();

  // Of `deadlines`: when it calls `refuse_overdue`.
  intrusive::set_member_hook<auto_unlink> deadline_hook;
  acquisition::time_point deadline{};

  // Of `cached_locks`: the order of eviction, with the last use that was seen there, and when the
  // lock is looked at.
  intrusive::list_member_hook<auto_unlink> cached_hook;
  keep_times::clock::time_point seen_use{};
  intrusive::set_member_hook<auto_unlink> look_hook;
  keep_times::clock::time_point look_at{};
  std::size_t counted_as_cached = 0;

  /// Links the lock with other idle locks. `idle_since`: since when the lock is idle.
  intrusive::list_member_hook<auto_unlink> idle_hook;
  std::chrono::steady_clock::time_point idle_since{};

 private:
  void on_event() override { take_back(); }
  void on_granted(queue::acquisition_id id, const grant& by) override;
  void on_downgraded(queue::acquisition_id id, queue::reason why) override;
  void on_refused(queue::acquisition_id id, queue::reason why) override;
  void on_lost(queue::acquisition_id id, queue::reason why) override;
  void on_released(queue::acquisition_id id, queue::reason why) override;
  void on_settled() override;

  void add(const std::shared_ptr<acquisition>& c);
  bool may_hand_out(const acquisition& c) const noexcept;
  bool may_hand_out(const queue::entry& held) const;
  std::shared_ptr<acquisition> take_out(queue::acquisition_id id);
  void offer_kept();
  kept_entry::users hand_out(const queue::entry& kept);
  queue::acquisition_id adopt(acquisition& c);
  std::shared_ptr<acquisition> next_in_line(waiting_line& line) noexcept;
  void log_too_many(const acquisition& c, queue::reason why) const;
  void report_positions();
  void forget_owner(const acquisition& c);

  client_impl& client_;
  lock_counters& counters_;
  const queue::lock_policy policy_;
  const std::size_t entry_bytes_;
  const std::uint32_t most_permits_;
  std::pmr::unordered_map<queue::acquisition_id, std::shared_ptr<acquisition>> acquisitions_;
  // The newest acquisition of each owner, and the acquisitions with a callback for their position.
  std::unordered_map<std::uint64_t, std::weak_ptr<acquisition>> owners_;
  std::vector<std::shared_ptr<acquisition>> position_waiters_;
  // Of the lock object that was used first since nothing used the lock; and the one that is offered
  // what is kept, with the turn at the last look.
  std::shared_ptr<kept_entry> kept_;
  std::shared_ptr<kept_entry> offered_;
  std::uint32_t seen_turn_ = 0;
  // How many acquisitions cannot be handed out to `kept_`, and how many grants must follow before
  // those that wait are handed out again.
  std::size_t staying_ = 0;
  std::size_t grants_until_offer_ = 0;
  keep_times times_;
  std::uint32_t conflicts_ = 0;
  lock_driver driver_;
};

} // namespace zklock::detail

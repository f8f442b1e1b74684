#pragma once

#include "client/acquisition.hpp"
#include "client/deadlines.hpp"
#include "client/keep_times.hpp"
#include "client/line_tickets.hpp"
#include "client/lock_driver.hpp"
#include "client/lock_line.hpp"

#include <boost/intrusive/list_hook.hpp>
#include <boost/intrusive/set_hook.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <memory_resource>
#include <unordered_map>
#include <vector>

namespace zklock::detail {

namespace intrusive = boost::intrusive;
using auto_unlink = intrusive::link_mode<intrusive::auto_unlink>;

class client_impl;
class lock_counters;

/// One lock of one client on the strand: connects the line of its acquisitions with the driver of
/// its queue. Used on the client's strand only.
class lock_in_use final : line_surroundings {
 public:
  lock_in_use(client_impl& client, std::shared_ptr<const lock_definition> lock,
              const queue::settings& settings, queue::node_budget& budget,
              std::pmr::memory_resource* memory);
  ~lock_in_use();

  // What the callers want.

  /// Serves the acquisitions that have come. Returns whether some wait for a proof of the session.
  bool look();
  /// The deadlines of acquisitions have changed.
  void watch_deadlines();
  /// An acquisition that has left the line gives up.
  void withdraw(acquisition& c);
  /// Gives the lock back.
  void release(acquisition& c);
  void downgrade(acquisition& c) { tickets_.downgrade(c); }

  /// Whether an owner holds it.
  bool is_held_by(std::uint64_t owner) const noexcept;
  /// The owner of an acquisition does not hold the lock any more, and does not wait for it.
  void forget_owner(const acquisition& c) noexcept;

  lock_driver& driver() noexcept { return driver_; }
  const lock_driver& driver() const noexcept { return driver_; }

  const lock_definition& name() const noexcept { return *driver_.lock(); }

  /// Whether it is the same lock, of the same kind.
  bool is_for(const lock_definition& lock) const noexcept;

  /// Whether the servers have confirmed that an acquisition is in line, or it waits for room.
  bool in_line(const acquisition& c) const noexcept { return tickets_.in_line(c); }

  /// Logs why an acquisition is refused, where an error code has no room for figures.
  void log_refusal(const acquisition& c, queue::reason why) const;

  // What uses the lock. The line is closed.

  std::vector<std::shared_ptr<acquisition>> acquisitions();
  /// Takes all acquisitions out of the line.
  std::vector<std::shared_ptr<acquisition>> take_all();
  const queue::entry_map& entries() {
    tickets_.close();
    return driver_.state().entries();
  }

  // The cache.

  /// What the line grants counts as used where it was, since the last look.
  void note_fast_uses();
  /// Whether the line is open, and its entry is held. Another thread may change that at any time.
  bool is_held_fast() const noexcept { return line_.is_held_fast(); }

  /// How long its entries are worth keeping.
  const keep_times& times() const noexcept { return times_; }
  std::size_t entry_bytes() const noexcept { return entry_bytes_; }
  /// Looks whether other clients want what is kept, or wanted it until now.
  void note_conflicts();

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
  /// The outcome of an owner's acquire.
  enum class sharing : std::uint8_t {
    /// The owner does not hold the lock: it gets in line.
    none,
    /// The owner holds it, but the session is not proven: nothing is granted yet.
    unproven,
    /// It was granted or refused.
    done,
  };

  queue::acquisition_id next_ticket() noexcept override;
  bool may_open(const queue::entry& held) override;
  void line_closed(std::uint32_t grants, bool is_held) override;
  void settled() override;

  sharing share(acquisition& c);
  void look_at_doubtful();
  void report_positions();

  client_impl& client_;
  lock_line& line_;
  const std::size_t entry_bytes_;
  const std::uint32_t most_permits_;
  // The newest acquisition of each owner, the acquisitions of owners that wait for a proof, and the
  // acquisitions with a callback for their position.
  std::unordered_map<std::uint64_t, std::weak_ptr<acquisition>> owners_;
  std::vector<std::shared_ptr<acquisition>> doubtful_;
  std::vector<std::shared_ptr<acquisition>> position_waiters_;
  keep_times times_;
  std::uint32_t conflicts_ = 0;
  line_watch watch_;
  line_tickets tickets_;
  lock_driver driver_;
};

} // namespace zklock::detail

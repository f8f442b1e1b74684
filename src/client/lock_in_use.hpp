#pragma once

#include "client/acquisition.hpp"
#include "client/client_core.hpp"
#include "client/deadlines.hpp"
#include "client/keep_times.hpp"
#include "client/line_tickets.hpp"
#include "client/lock_driver.hpp"
#include "client/lock_line.hpp"
#include "client/requester.hpp"

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

class lock_counters;
class lock_in_use;

/// The owner of locks in use: told of their events.
class lock_surroundings {
 public:
  /// Returns a new id for a queue, higher than all earlier ids.
  virtual queue::acquisition_id next_ticket() noexcept = 0;
  /// A cached entry is held on the fast path from now on.
  virtual void entry_used() noexcept = 0;
  /// A line was closed while its entry was held on the fast path.
  virtual void entry_unused(lock_in_use& in) = 0;
  /// An event of a lock has been processed, with all actions that followed.
  virtual void settled(lock_in_use& used) = 0;

 protected:
  ~lock_surroundings() = default;
};

/// A lock of a client on the strand: connects the line of the lock's acquisitions with the driver
/// of the lock's queue. Used on the client's strand only.
class lock_in_use final : line_surroundings {
 public:
  lock_in_use(client_core& core, lock_surroundings& around, requester& by, lock_counters& counters,
              std::shared_ptr<const lock_definition> lock, const queue::settings& settings,
              queue::node_budget& budget, std::pmr::memory_resource* memory);
  ~lock_in_use();

  // Called for acquisitions.

  /// Serves the new acquisitions of the line. Returns whether any acquisition waits for a proof of
  /// the session.
  bool look();
  /// When the strand looks at the deadlines of the line.
  line_watch& watch() noexcept { return watch_; }
  /// An acquisition that has left the line gives up.
  void withdraw(acquisition& c);
  /// Releases the hold of an acquisition.
  void release(acquisition& c);
  void downgrade(acquisition& c) { tickets_.downgrade(c); }

  /// Whether an owner holds the lock.
  bool is_held_by(std::uint64_t owner) const noexcept;
  /// The owner of an acquisition does not hold the lock any more, and does not wait for it.
  void forget_owner(const acquisition& c) noexcept;

  lock_driver& driver() noexcept { return driver_; }
  const lock_driver& driver() const noexcept { return driver_; }

  const lock_definition& name() const noexcept { return *driver_.lock(); }

  /// Whether `lock` has the kind and the limit of this lock.
  bool is_for(const lock_definition& lock) const noexcept;

  /// Whether the servers have confirmed that an acquisition is in line, or it waits for room.
  bool in_line(const acquisition& c) const noexcept { return tickets_.in_line(c); }

  /// Logs why an acquisition is refused, where an error code has no room for figures.
  void log_refusal(const acquisition& c, queue::reason why) const;

  // The acquisitions and entries of the lock. Each function closes the line.

  std::vector<std::shared_ptr<acquisition>> acquisitions();
  /// Takes all acquisitions out of the line.
  std::vector<std::shared_ptr<acquisition>> take_all();
  const queue::entry_map& entries() {
    tickets_.close();
    return driver_.state().entries();
  }

  // The cache.

  /// Counts the grants of the open line since the last look as uses.
  void note_fast_uses();
  /// Whether the line is open, and its entry is held. Another thread may change that at any time.
  bool is_held_fast() const noexcept { return line_.is_held_fast(); }

  /// How long the entries are worth caching.
  const keep_times& times() const noexcept { return times_; }
  std::size_t entry_bytes() const noexcept { return entry_bytes_; }
  /// Notes the beginning or the end of a conflict: another client wants the lock while an entry is
  /// cached.
  void note_conflicts();

  // For `cached_locks`: the place in the ring, the last use that the hand has seen, and the time of
  // the next look.
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
    /// The owner does not hold the lock: the acquisition gets in line.
    none,
    /// The owner holds the lock, but the session is not proven: nothing is granted yet.
    unproven,
    /// The acquisition was granted or refused.
    done,
  };

  queue::acquisition_id next_ticket() noexcept override { return around_.next_ticket(); }
  bool may_open() override;
  void line_closed(std::uint32_t grants, bool is_held) override;
  void settled() override;

  sharing share(acquisition& c);
  void look_at_doubtful();
  void report_positions();

  client_core& core_;
  lock_surroundings& around_;
  requester& requester_;
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

#pragma once

#include "client/acquisition.hpp"
#include "client/cached_place.hpp"
#include "client/client_core.hpp"
#include "client/deadlines.hpp"
#include "client/idle_place.hpp"
#include "client/keep_times.hpp"
#include "client/line_tickets.hpp"
#include "client/lock_driver.hpp"
#include "client/lock_line.hpp"
#include "client/lock_owners.hpp"
#include "client/requester.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <memory_resource>
#include <vector>

namespace zklock::detail {

class lock_counters;
class lock_in_use;

/// The owner of locks in use: told of their events.
class lock_surroundings {
 public:
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
///
/// Invariant: an acquisition is in the line, or waits in `lock_owners` for a proof of the session.
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

  lock_owners& owners() noexcept { return owners_; }

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
  bool is_held_fast() const noexcept { return line().is_held_fast(); }

  /// How long the entries are worth caching.
  keep_times& times() noexcept { return times_; }
  cached_place& cached() noexcept { return cached_; }
  idle_place& idle() noexcept { return idle_; }

 private:
  bool may_open() override;
  void line_closed(std::uint32_t grants, bool is_held) override;
  void settled() override;

  void report_positions();
  lock_line& line() const noexcept { return watch_.line(); }

  client_core& core_;
  lock_surroundings& around_;
  // The acquisitions with a callback for their position.
  std::vector<std::shared_ptr<acquisition>> position_waiters_;
  keep_times times_;
  line_watch watch_;
  lock_owners owners_;
  line_tickets tickets_;
  lock_driver driver_;
  cached_place cached_;
  idle_place idle_;
};

} // namespace zklock::detail

#pragma once

#include "client/acquisition.hpp"
#include "client/cache_times.hpp"
#include "client/deadlines.hpp"
#include "client/line_tickets.hpp"
#include "client/lock_driver.hpp"
#include "client/lock_line.hpp"
#include "client/lock_owners.hpp"
#include "client/requester.hpp"

#include <boost/intrusive/list_hook.hpp>
#include <boost/intrusive/set_hook.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace zklock::detail {

using auto_unlink = boost::intrusive::link_mode<boost::intrusive::auto_unlink>;

/// The place of a lock among the cached locks of its client. Used by `cached_locks` only.
struct cached_place {
  lock_in_use& of;
  /// The bytes that an entry takes of `client_options::max_path_bytes`.
  const std::size_t entry_bytes;
  /// The number of entries that are counted.
  std::size_t counted = 0;
  // In the ring: the last use that the hand has seen.
  boost::intrusive::list_member_hook<auto_unlink> ring_hook{};
  cache_times::clock::time_point seen_use{};
  // In the order of time.
  boost::intrusive::set_member_hook<auto_unlink> look_hook{};
  cache_times::clock::time_point look_at{};
  std::uint32_t seen_conflicts = 0;
};

/// The place of a lock among the unused locks of its client. Used by `lock_table` only.
struct idle_place {
  lock_in_use& of;
  boost::intrusive::list_member_hook<auto_unlink> hook{};
  std::chrono::steady_clock::time_point since{};
};

/// A lock of a client on the strand: connects the line of the lock's acquisitions with the driver
/// of the lock's queue. Used on the client's strand only.
///
/// Invariant: an acquisition is in the line, or waits in `lock_owners` for a proof of the session.
class lock_in_use final : line_surroundings {
 public:
  lock_in_use(lock_surroundings& around, requester& by, lock_counters& counters,
              std::shared_ptr<const lock_definition> lock, const queue::settings& settings,
              queue::node_budget& budget);
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
  void set_identity(acquisition& c, const queue::identity_pointer& identity) {
    tickets_.set_identity(c, identity);
  }

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
  cache_times& times() noexcept { return times_; }
  cached_place& cached() noexcept { return cached_; }
  idle_place& idle() noexcept { return idle_; }

 private:
  bool may_open() override;
  void line_closed(std::uint32_t grants, bool is_held) override;
  void settled() override;

  void report_positions();
  lock_line& line() const noexcept { return watch_.line(); }

  lock_surroundings& around_;
  // The acquisitions with a callback for their position.
  std::vector<std::shared_ptr<acquisition>> position_waiters_;
  cache_times times_;
  line_watch watch_;
  lock_owners owners_;
  line_tickets tickets_;
  lock_driver driver_;
  cached_place cached_;
  idle_place idle_{*this};
};

} // namespace zklock::detail

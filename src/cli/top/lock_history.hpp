#pragma once

#include "cli/top/lock_row.hpp"

#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace zklock::cli {

/// Compares successive looks at locks, and returns hand-overs a second, and how long each holder
/// has been observed.
///
/// A look shows the locks at a moment, so looks miss holders. For a mutex the sequence numbers tell
/// how many entries ahead of the new holder are gone. Each of these entries has held the lock, or
/// has given up waiting, so their number is an upper bound of the hand-overs. For readers and
/// permits only the new holders count, a lower bound: holds that begin and end between two looks
/// are missed. Hand-overs inside a process, which keep the znode
/// (`client_options::local_handoffs`), are missed in both cases.
class lock_history {
 public:
  /// The time of a look. The wall clock is compared with the servers' clock.
  struct moment {
    std::chrono::steady_clock::time_point steady;
    std::chrono::system_clock::time_point wall;
  };

  /// Rates are means over this time.
  static constexpr std::chrono::seconds window{10};

  /// A lock with waiters is marked as stuck if its holders have not changed for `stuck_after`.
  explicit lock_history(std::chrono::nanoseconds stuck_after) : stuck_after_(stuck_after) {}

  /// Adds a look, and returns its rows. Directories that were empty in all looks have none. A lock
  /// that was in use in an earlier look keeps its row until its directory is gone.
  std::vector<lock_row> add(std::vector<found_lock> locks, const moment& now);

 private:
  struct sample {
    std::chrono::steady_clock::time_point time;
    std::int64_t handovers;
  };

  struct hold {
    std::chrono::steady_clock::time_point since;
    bool older;
  };

  struct record {
    lock_type type = lock_type::unknown;
    // By their znodes.
    std::map<std::string, hold> holders{};
    // The last holder of a mutex.
    std::string last_node{};
    std::int64_t last_number = 0;
    std::int64_t handovers = 0;
    std::deque<sample> samples{};
  };

  // A semaphore can share the path with another lock.
  using key = std::pair<std::string, bool>;

  lock_row add_one(record& known, found_lock lock, const moment& now) const;
  std::int64_t count_new_holders(record& known, const found_lock& lock) const;
  void observe_holders(record& known, const found_lock& lock, const moment& now) const;
  bool is_stuck(const record& known, const moment& now) const;

  std::chrono::nanoseconds stuck_after_;
  std::map<key, record> records_;
  // No value before the first look.
  std::optional<std::chrono::steady_clock::time_point> last_look_;
};

} // namespace zklock::cli

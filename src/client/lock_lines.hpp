#pragma once

#include "client/acquisition.hpp"
#include "client/cached_locks.hpp"
#include "client/client_core.hpp"
#include "client/client_counters.hpp"
#include "client/client_locks.hpp"
#include "client/client_session.hpp"
#include "client/deadlines.hpp"
#include "client/lock_in_use.hpp"

#include <map>
#include <memory>
#include <tuple>
#include <vector>

namespace zklock::detail {

class open_queries;

/// Serves the lines of a client's locks on the strand: looks at new acquisitions, ends acquisitions
/// whose deadlines have passed or whose callers give up, and evicts cached entries. Invariant: a
/// line with an acquisition that the strand must see has a look due, or the lock waits for a proof
/// of the session, or for another kind of lock to make way.
class lock_lines final : public lock_surroundings {
 public:
  /// Only the reference is used before the queries are constructed.
  lock_lines(client_core& core, client_session& session, client_counters& counters,
             open_queries& queries);

  client_locks& locks() noexcept { return locks_; }
  const client_locks& locks() const noexcept { return locks_; }
  cached_locks& cached() noexcept { return cached_; }
  const cached_locks& cached() const noexcept { return cached_; }

  /// Serves the acquisitions that have come to a lock's line.
  void look(const std::shared_ptr<const lock_definition>& lock);
  /// Called after all that may prove the session, end a hold, or make way for another kind of lock:
  /// looks at the lines again whose acquisitions wait for that.
  void look_again();

  /// Ends an acquisition that waits.
  void give_up(acquisition& c, error_code why);

  /// The client is over. Ends all acquisitions, and forgets all locks. Returns the acquisitions, of
  /// which nodes may be left in ZooKeeper.
  std::vector<std::shared_ptr<acquisition>> end_all(errc why);

  /// The execution context is being destroyed. Returns the locks with their acquisitions, to be
  /// destroyed when nothing of the client is used any more.
  lock_table abandon() noexcept;

 private:
  void on_left(const acquisition& c, queue::reason why) noexcept override;
  void on_limited(const acquisition& c) override { watch_deadlines(c.path()); }
  void on_misnamed(acquisition& c) override;

  void entry_used() noexcept override { cached_.counter().note_used(); }
  void entry_unused(lock_in_use& in) override;
  void settled(lock_in_use& used) override;

  void deadlines_passed(const std::shared_ptr<const lock_definition>& lock);
  bool clear_way(const lock_definition& lock);
  void refuse_all(lock_line& line, error_code why);
  void look_again_at(const std::shared_ptr<const lock_definition>& lock);
  void watch_deadlines(const std::shared_ptr<const lock_definition>& lock);
  void hold_limit_passed(acquisition& c);
  void end_waiting(acquisition& c, error_code why);
  error_code out_of_time(const acquisition& c) const noexcept;
  void try_again_later();
  void try_again();

  open_queries& queries_;
  deadlines deadlines_;
  client_locks locks_;
  cached_locks cached_;
  // In the same order in each run of a program, which an order by addresses is not.
  struct by_name {
    using lock = std::shared_ptr<const lock_definition>;
    bool operator()(const lock& a, const lock& b) const noexcept {
      return std::tie(a->full, a->kind, a->limit, a->limit_node) <
             std::tie(b->full, b->kind, b->limit, b->limit_node);
    }
  };

  // The locks whose acquisitions wait for a proof of the session, or for another kind of lock to
  // make way.
  std::map<std::shared_ptr<const lock_definition>, line_watch, by_name> again_;
  bool looking_again_ = false;
  client_timer again_timer_;
  bool trying_again_ = false;
};

} // namespace zklock::detail

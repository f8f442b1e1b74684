#pragma once

#include "queue/entry.hpp"
#include "queue/waiting_tries.hpp"
#include "support/description.hpp"
#include "support/recycled_memory.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace zklock::queue {

/// The acquisitions of a lock that wait or try, as the queue sees them: how many want which mode,
/// in their order.
///
/// A demand is a run of acquisitions with equal modes. Entries are created for no particular
/// acquisition: with n entries of a role, the first n acquisitions that want the role are in line,
/// and all later acquisitions wait for an entry. A try is a demand of its own.
///
/// Invariant: no new acquisition joins a demand that `mark` has returned, nor an earlier demand.
class demands {
 public:
  // The acquisitions that wait.

  /// Adds an acquisition, and returns its demand.
  demand_id add(lock_mode asked);
  /// Requeues, at its place, an acquisition that has lost its entry.
  void add_again(const demand& lost);

  /// Returns the newest demand, and closes it: later acquisitions belong to later demands.
  demand_id mark() noexcept {
    is_open_ = false;
    return newest_;
  }

  /// The place of an unassigned entry: behind `before` unassigned entries of the role.
  struct rank {
    role wants;
    std::size_t before;
  };
  struct removal {
    bool found = false;
    /// Set if the acquisition was in line.
    std::optional<rank> in_line{};
  };
  /// Removes the last acquisition of a demand.
  removal remove(demand_id id) noexcept;

  /// The first acquisition in line.
  std::optional<demand> first(role wants) const noexcept;
  demand take_first(role wants) noexcept;
  /// Removes the last acquisition of the role that is in line and belongs to `newest` or an earlier
  /// demand, unless there are entries without an acquisition.
  std::optional<demand_id> take_last(role wants, demand_id newest) noexcept;
  /// Whether the last acquisition in line has brought its room.
  bool has_last_brought(role wants) const noexcept;

  /// The demand of the acquisition at this place; empty if there is none.
  std::optional<demand_id> at(rank place) const noexcept;

  /// The first acquisition without an entry.
  std::optional<demand> next() const noexcept;
  /// The first acquisition without an entry that has brought its room.
  std::optional<demand> next_brought() const noexcept;
  /// Whether an acquisition asks for an identity of its own.
  bool is_any_named() const noexcept { return named_ != 0; }
  bool is_any_waiting() const noexcept {
    return roles_[0].waiting() != 0 || roles_[1].waiting() != 0;
  }

  // The tries.

  /// Returns the demand of a try.
  demand_id next_try() noexcept {
    is_open_ = false;
    return ++newest_;
  }
  waiting_tries& tries() noexcept { return tries_; }
  const waiting_tries& tries() const noexcept { return tries_; }

  // The entries for the acquisitions that wait.

  void add_entry(role wants) noexcept { ++of(wants).entries; }
  void remove_entry(role wants) noexcept {
    --of(wants).entries;
    of(wants).cap_spare();
  }
  std::size_t entries(role wants) const noexcept { return of(wants).entries; }
  /// Whether each entry that is not spare has an acquisition in line.
  bool is_needed(role wants) const noexcept { return of(wants).unneeded() <= of(wants).spare; }

  /// Spares an entry without an acquisition: it stays in line for the next acquisition.
  void add_spare(role wants) noexcept { ++of(wants).spare; }
  void set_spare(role wants, std::size_t entries) noexcept { of(wants).spare = entries; }
  /// Spares all entries without an acquisition.
  void spare_unneeded(role wants) noexcept { of(wants).spare = of(wants).unneeded(); }

  // All acquisitions.

  /// Removes all acquisitions up to and including `newest`. Returns a demand for each acquisition.
  std::vector<demand_id> take_until(demand_id newest);
  /// The demands that want more than `most` permits: a demand for each acquisition.
  std::vector<demand_id> above(std::uint32_t most) const;
  std::size_t count_after(demand_id newest) const noexcept;

  /// Whether the next acquisition to hold wants this role.
  bool is_next(role wants) const noexcept;
  bool is_any_wanting(role wants) const noexcept;
  /// Whether no acquisition tries, or waits without an entry.
  bool empty() const noexcept { return !is_any_waiting() && tries_.empty(); }
  /// Whether no acquisition waits or tries.
  bool is_idle() const noexcept {
    return roles_[0].count == 0 && roles_[1].count == 0 && tries_.empty();
  }

  /// The number of nodes that are needed by the entries, and by the acquisitions without an entry
  /// that have brought their room.
  std::size_t nodes() const noexcept;

  /// The place of an acquisition that has `nth` acquisitions of its demand before it.
  struct position {
    /// Set if the acquisition is in line: the place of its entry.
    std::optional<rank> in_line{};
    /// How many acquisitions without an entry come before.
    std::size_t waiting = 0;
  };
  /// Empty if no acquisition of the demand waits.
  std::optional<position> find(demand_id id, std::size_t nth) const noexcept;

 private:
  template <class Writer>
  friend class zklock::description;

  struct group {
    lock_mode asked;
    std::size_t count = 0;
  };
  using groups = detail::recycling_map<demand_id, group>;

  struct same_role {
    std::size_t in_line() const noexcept { return std::min(count, entries); }
    std::size_t waiting() const noexcept { return count - in_line(); }
    std::size_t unneeded() const noexcept { return entries - in_line(); }
    void cap_spare() noexcept { spare = std::min(spare, unneeded()); }

    groups by_id;
    std::size_t count = 0;
    std::size_t entries = 0;
    std::size_t spare = 0;
  };

  void count(same_role& all, groups::iterator which, int change) noexcept;
  /// Counts the acquisitions before a demand, at least as far as there are `enough`.
  static std::size_t count_before(const same_role& all, demand_id id,
                                  std::size_t enough = static_cast<std::size_t>(-1)) noexcept;
  /// Splits the first `most` acquisitions by group, and calls `function` with each group and the
  /// number of its acquisitions.
  template <class Function>
  static void for_first(const same_role& all, std::size_t most, Function function);
  /// The demand of the first acquisition without an entry whose mode is `wanted`.
  template <class Predicate>
  std::optional<demand> first_waiting(Predicate wanted) const noexcept;

  same_role& of(role wants) noexcept { return roles_[static_cast<std::size_t>(wants)]; }
  const same_role& of(role wants) const noexcept { return roles_[static_cast<std::size_t>(wants)]; }

  std::array<same_role, 2> roles_;
  waiting_tries tries_;
  demand_id newest_ = 0;
  // Whether the next acquisition may join the newest demand.
  bool is_open_ = false;
  // How many waiting acquisitions want several permits, have brought their room, and ask for an
  // identity of their own.
  std::size_t large_ = 0;
  std::size_t brought_ = 0;
  std::size_t named_ = 0;
};

} // namespace zklock::queue

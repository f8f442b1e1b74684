#pragma once

#include "queue/entry.hpp"
#include "queue/waiting_tries.hpp"
#include "support/description.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory_resource>
#include <optional>
#include <vector>

namespace zklock::queue {

/// The acquisitions of a lock that wait or try, as the queue sees them: how many want which mode,
/// in their order.
///
/// A demand is a number of acquisitions with equal modes that came one after the other. Entries
/// are created for no certain acquisition: the acquisitions that came first are in line, as many of
/// each role as there are entries. The other acquisitions wait for an entry. A try is a demand of
/// its own.
///
/// Invariant: all acquisitions of a demand began before any mark that is not older than the demand.
class demands {
 public:
  explicit demands(std::pmr::memory_resource* memory);

  // The acquisitions that wait.

  /// Adds an acquisition, and returns its demand.
  demand_id add(lock_mode asked);
  /// Adds an acquisition again, whose entry is lost.
  void add_again(const demand& lost);

  /// Returns the newest demand. Acquisitions that come later belong to later demands.
  demand_id mark() noexcept {
    is_open_ = false;
    return newest_;
  }

  /// The entry of an acquisition that gave up: the entry of this role with so many before it.
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
  /// Removes the last acquisition of the role that is in line and began no later than `newest`,
  /// unless there are entries without an acquisition.
  std::optional<demand_id> take_last(role wants, demand_id newest) noexcept;
  /// Whether the last in line has brought its room along.
  bool has_last_brought(role wants) const noexcept;

  /// The demand of the acquisition with so many before it; empty if there are not so many.
  std::optional<demand_id> at(rank place) const noexcept;

  /// The first acquisition without an entry.
  std::optional<demand> next() const noexcept;
  /// The first acquisition without an entry that has brought its room along.
  std::optional<demand> next_brought() const noexcept;
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
  /// Whether acquisitions are in line by all entries but the spare entries.
  bool is_needed(role wants) const noexcept { return of(wants).unneeded() <= of(wants).spare; }

  /// An entry without an acquisition stays for the next acquisition.
  void add_spare(role wants) noexcept { ++of(wants).spare; }
  void set_spare(role wants, std::size_t entries) noexcept { of(wants).spare = entries; }
  /// All entries without an acquisition stay.
  void spare_unneeded(role wants) noexcept { of(wants).spare = of(wants).unneeded(); }

  // All acquisitions.

  /// Removes the acquisitions that began no later than `newest`, and returns their demands: a
  /// demand for each acquisition.
  std::vector<demand_id> take_until(demand_id newest);
  /// The demands that want more permits than `most`, a demand for each acquisition.
  std::vector<demand_id> above(std::uint32_t most) const;
  std::size_t count_after(demand_id newest) const noexcept;

  /// Whether the next acquisition to hold wants this role.
  bool is_next(role wants) const noexcept;
  bool is_any_wanting(role wants) const noexcept;
  /// Whether no acquisition waits or tries, but for the acquisitions in line.
  bool empty() const noexcept { return !is_any_waiting() && tries_.empty(); }
  /// Whether no acquisition waits or tries.
  bool is_idle() const noexcept {
    return roles_[0].count == 0 && roles_[1].count == 0 && tries_.empty();
  }

  /// How many nodes the entries will need, and the acquisitions without an entry that have brought
  /// their room along.
  std::size_t nodes() const noexcept;

  /// How many acquisitions and entries come before an acquisition, which has `nth` others of its
  /// demand before it.
  struct position {
    /// The acquisition is in line, by this entry.
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
  using groups = std::pmr::map<demand_id, group>;

  struct same_role {
    explicit same_role(std::pmr::memory_resource* memory) : by_id(memory) {}

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
  /// Calls `function` with each group of the first `most` acquisitions, and how many of them belong
  /// to the group.
  template <class Function>
  static void for_first(const same_role& all, std::size_t most, Function function);
  /// The group of the first acquisition without an entry, from which on `wanted` holds.
  template <class Predicate>
  std::optional<demand> first_waiting(Predicate wanted) const noexcept;

  same_role& of(role wants) noexcept { return roles_[static_cast<std::size_t>(wants)]; }
  const same_role& of(role wants) const noexcept { return roles_[static_cast<std::size_t>(wants)]; }

  std::array<same_role, 2> roles_;
  waiting_tries tries_;
  demand_id newest_ = 0;
  // Whether the next acquisition may belong to the newest demand.
  bool is_open_ = false;
  // How many waiting acquisitions want several permits, and how many have brought their room along.
  std::size_t large_ = 0;
  std::size_t brought_ = 0;
};

} // namespace zklock::queue

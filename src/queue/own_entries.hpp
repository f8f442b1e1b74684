#pragma once

#include "queue/action.hpp"
#include "queue/demands.hpp"
#include "queue/entry_counts.hpp"
#include "queue/line.hpp"
#include "queue/node_budget.hpp"
#include "queue/settings.hpp"
#include "support/description.hpp"

#include <cstddef>
#include <cstdint>

namespace zklock::queue {

/// Our entries, from their creates until their nodes are gone, and the room for their nodes in the
/// client's budget.
///
/// Invariant: every change of an entry's state goes through `change`, so that the counts follow the
/// states. After each event no unneeded room is owned. Room is missing only while permits are being
/// deleted whose acquisition waits again.
class own_entries {
 public:
  /// All arguments must outlive the object.
  own_entries(const settings& settings, node_budget& budget, line& line, demands& demands)
      : settings_(settings), budget_(budget), line_(line), demands_(demands), counts_(demands) {}

  const entry_map& all() const noexcept { return all_; }
  entry_map& all() noexcept { return all_; }
  entry* find(entry_id id) noexcept;

  /// The unassigned entry at this place. Entries get in line in the order of their creates.
  const entry& at(demands::rank rank) const noexcept;

  /// The last entry that is assigned to an acquisition of a demand; null if there is none.
  entry* find_assigned(demand_id id) noexcept;

  /// The first cached entry of a role; null if there is none.
  const entry* find_cached(role wants) const noexcept;

  // Which entries there are.

  std::size_t count_in_line() const noexcept { return counts_.in_line(); }
  std::size_t count_cached() const noexcept {
    return counts_.cached(role::exclusive) + counts_.cached(role::shared);
  }
  bool is_any_trying_in_line() const noexcept { return counts_.tries() != 0; }
  /// Whether an entry in line is assigned to an acquisition that waits.
  bool is_any_own() const noexcept { return counts_.own() != counts_.tries(); }
  /// Whether an entry is being deleted, whose room is free soon.
  bool is_any_leaving() const noexcept { return counts_.leaving() != 0; }
  bool is_any(role wants) const noexcept;
  bool is_any_downgrading() const noexcept;
  /// Whether a request that creates a node is unanswered.
  bool is_any_to_appear() const noexcept;

  // Changes.

  /// Adds an entry for an acquisition without an entry. Null if there is no room.
  entry* add(event_context& context, const demand& to);
  /// Adds an entry that is assigned to an acquisition, which the demands no longer count. Null if
  /// there is no room.
  entry* add_own(event_context& context, const demand& to, bool tries);

  /// Changes the state, the role, the acquisition or the permits of an entry by `how`, and updates
  /// the counts and the groups.
  template <class Function>
  void change(entry& e, Function how) noexcept {
    counts_.change(e, how);
    line_.groups().regroup(e);
  }
  void set(entry& e, entry::state is) noexcept {
    change(e, [&] { e.is = is; });
  }

  /// Destroys an entry.
  void erase(entry& e) noexcept;

  // Room.

  /// An acquisition has brought its room: for so many nodes.
  void bring_room(std::uint32_t nodes) noexcept { owned_ += nodes; }

  /// Whether deleting an entry in line returns its room to the budget: no acquisition that has
  /// brought its room needs it.
  bool frees_room(const entry& e) const noexcept { return !demands_.has_last_brought(e.wants); }

  /// Whether so many permits fit into the budget at all.
  bool fit_budget(std::uint32_t permits) const noexcept {
    return settings_.entry_bytes * permits <= budget_.total();
  }

  /// Returns unneeded room to the budget.
  void return_room() noexcept;

  /// Takes the missing room. Returns whether no room is missing any more.
  bool cover_room() noexcept { return take_room(0); }

 private:
  template <class Writer>
  friend class zklock::description;

  entry& insert(event_context& context, entry&& made);
  bool take_room(std::size_t nodes) noexcept;

  const settings& settings_;
  node_budget& budget_;
  line& line_;
  demands& demands_;
  entry_counts counts_;
  entry_map all_;
  // The number of nodes for which the lock owns room.
  std::size_t owned_ = 0;
};

} // namespace zklock::queue

#pragma once

#include "queue/demands.hpp"
#include "queue/entry.hpp"

#include <array>
#include <cstddef>
#include <optional>

namespace zklock::queue {

/// Counts our entries by state, so that no event walks all entries.
///
/// Invariant: an entry is counted by its state, role and acquisition as of its `add` or its last
/// `change`. The demands count the unassigned entries.
class entry_counts {
 public:
  explicit entry_counts(demands& demands) noexcept : demands_(demands) {}

  void add(const entry& e) noexcept {
    count(e, 1);
    if (e.is_unassigned()) demands_.add_entry(e.wants);
  }
  void remove(const entry& e) noexcept {
    count(e, std::size_t{0} - 1);
    if (e.is_unassigned()) demands_.remove_entry(e.wants);
  }

  /// Changes an entry by `how`. An entry that stays unassigned is in the demands all the time:
  /// spare entries would be capped in between.
  template <class Function>
  void change(entry& e, Function how) noexcept {
    const auto before = unassigned_role(e);
    count(e, std::size_t{0} - 1);
    how();
    count(e, 1);
    const auto after = unassigned_role(e);
    if (before == after) return;
    if (before) demands_.remove_entry(*before);
    if (after) demands_.add_entry(*after);
  }

  std::size_t cached(role wants) const noexcept { return cached_[static_cast<std::size_t>(wants)]; }
  std::size_t leaving() const noexcept { return leaving_; }
  /// How many entries wait for their assigned acquisitions, and how many of them for tries.
  std::size_t own() const noexcept { return own_; }
  std::size_t tries() const noexcept { return tries_; }

  /// How many entries are in line, or on their way there, also if they are to be deleted once their
  /// numbers are known.
  std::size_t in_line() const noexcept {
    return demands_.entries(role::exclusive) + demands_.entries(role::shared) + own_ + abandoned_;
  }

  /// The number of nodes that the entries and the demands need.
  std::size_t nodes() const noexcept { return nodes_ + demands_.nodes(); }

 private:
  static std::optional<role> unassigned_role(const entry& e) noexcept {
    return e.is_unassigned() ? std::optional(e.wants) : std::nullopt;
  }
  void count(const entry& e, std::size_t more) noexcept;

  demands& demands_;
  std::array<std::size_t, 2> cached_{};
  std::size_t own_ = 0;
  std::size_t tries_ = 0;
  std::size_t abandoned_ = 0;
  std::size_t leaving_ = 0;
  // Without the unassigned entries.
  std::size_t nodes_ = 0;
};

} // namespace zklock::queue

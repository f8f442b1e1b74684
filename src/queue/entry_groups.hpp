#pragma once

#include "queue/entry.hpp"
#include "support/recycled_memory.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace zklock::queue {

/// Our entries in the line of a lock, by number: all entries, and by role the groups of held,
/// cached and waiting entries. An event walks a group instead of all entries.
///
/// Invariant: an entry is in the group of its state and role as of its last `regroup`.
class entry_groups {
 public:
  using by_number = detail::recycling_map<sequence, entry*>;

  void insert(entry& e);
  /// Does nothing for an entry that is not contained.
  void erase(entry& e) noexcept;
  /// Must follow each change of the state or the role of a contained entry.
  void regroup(entry& e) noexcept;
  void clear() noexcept;

  static bool contains(const entry& e) noexcept { return e.group != 0; }
  const by_number& all() const noexcept { return all_; }
  const by_number& held(role wants) const noexcept { return of(group::held, wants); }
  const by_number& cached(role wants) const noexcept { return of(group::cached, wants); }
  bool is_any_held() const noexcept;
  std::size_t count_writers() const noexcept;

  /// The first waiting entry behind a number, and the last before a number; null if there is none.
  /// Without a number: of all waiting entries.
  entry* next_waiting(std::optional<sequence> after = {}) const noexcept;
  entry* last_waiting(std::optional<sequence> before = {}) const noexcept;

  /// The last entry of a role before a number that does not hold.
  entry* last_not_held(role wants, std::optional<sequence> before) const noexcept;

  /// The last writer before a number, and the last entry of any role.
  entry* last_writer(sequence before) const noexcept;
  entry* last(sequence before) const noexcept;

 private:
  enum class group : std::uint8_t { waiting, held, cached, count_ };

  static constexpr std::size_t roles = 2;

  /// The value of `entry::group`; 0 stands for no group.
  static std::uint8_t group_of(const entry& e) noexcept;
  by_number& of(std::uint8_t which) noexcept { return groups_[which - 1u]; }
  const by_number& of(group which, role wants) const noexcept {
    return groups_[static_cast<std::size_t>(which) * roles + static_cast<std::size_t>(wants)];
  }

  by_number all_;
  std::array<by_number, static_cast<std::size_t>(group::count_) * roles> groups_;
};

} // namespace zklock::queue

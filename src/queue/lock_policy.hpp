#pragma once

#include "queue/entry_name.hpp"

#include <cstdint>
#include <string_view>

namespace zklock::queue {

/// The entries before an entry in line.
struct predecessors {
  std::uint32_t entries = 0;
  std::uint32_t exclusive = 0;

  constexpr void add(role wants) noexcept {
    ++entries;
    exclusive += wants == role::exclusive;
  }

  constexpr void remove(role wants) noexcept {
    --entries;
    exclusive -= wants == role::exclusive;
  }
};

/// Which entries of a line may hold. This is all that tells one kind of lock from another.
class lock_policy {
 public:
  enum kind : std::uint8_t {
    /// One entry holds, the first in line.
    exclusive,
    /// One entry writes, or many read: a reader waits for the writers before it, a writer for all.
    shared,
    /// The first in line is replaced by permits as soon as enough of them are free.
    counted,
  };

  constexpr lock_policy(kind value) noexcept : kind_(value) {}

  /// What stands before the number in the names of entries.
  constexpr std::string_view label(role wants) const noexcept {
    if (kind_ != shared) return "-lock-";
    return wants == role::shared ? "-__READ__" : "-__WRIT__";
  }

  /// What an entry of another client wants, as this lock sees it.
  constexpr role seen_as(role wants) const noexcept {
    return kind_ == shared ? wants : role::exclusive;
  }

  /// Whether an entry may hold, or be replaced by permits, behind these predecessors.
  constexpr bool may_hold(const predecessors& before, role wants) const noexcept {
    return kind_ == shared && wants == role::shared ? before.exclusive == 0 : before.entries == 0;
  }

  /// Whether no entry may hold behind these predecessors.
  constexpr bool blocks_all(const predecessors& before) const noexcept {
    return kind_ == shared ? before.exclusive != 0 : before.entries != 0;
  }

  /// Whether the earlier of two entries keeps the later one from holding.
  constexpr bool conflicts(role earlier, role later) const noexcept {
    return kind_ != shared || earlier == role::exclusive || later == role::exclusive;
  }

  /// Whether an entry that is gone may have been replaced by an entry with the same number: a
  /// writer becomes a reader.
  constexpr bool may_be_replaced(role wants) const noexcept {
    return kind_ == shared && wants == role::exclusive;
  }

  /// Whether permits replace the entry that may hold. Otherwise it holds by its place in line.
  constexpr bool holds_by_permits() const noexcept { return kind_ == counted; }

  friend constexpr bool operator==(lock_policy, lock_policy) = default;

 private:
  kind kind_;
};

} // namespace zklock::queue

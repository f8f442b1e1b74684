#pragma once

#include "queue/entry_name.hpp"

#include <cstdint>
#include <string_view>

namespace zklock::queue {

/// How many entries are before an entry in line.
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

/// Which entries of a line may hold: the only difference between the kinds of locks.
class lock_policy {
 public:
  enum kind : std::uint8_t {
    /// The head of the line holds.
    exclusive,
    /// A writer holds alone, readers hold together: a reader waits for the writers before it, a
    /// writer for all entries before it.
    shared,
    /// Permits replace the head of the line as soon as enough permits are free.
    counted,
  };

  constexpr lock_policy(kind value) noexcept : kind_(value) {}

  /// The part of an entry's name before its number.
  constexpr std::string_view label(role wants) const noexcept {
    if (kind_ != shared) return "-lock-";
    return wants == role::shared ? "-__READ__" : "-__WRIT__";
  }

  /// The role of another client's entry, as this lock sees it.
  constexpr role seen_as(role wants) const noexcept {
    return kind_ == shared ? wants : role::exclusive;
  }

  /// Whether an entry with these predecessors may hold, or be replaced by permits.
  constexpr bool may_hold(const predecessors& before, role wants) const noexcept {
    return kind_ == shared && wants == role::shared ? before.exclusive == 0 : before.entries == 0;
  }

  /// Whether no entry with such predecessors may hold.
  constexpr bool blocks_all(const predecessors& before) const noexcept {
    return kind_ == shared ? before.exclusive != 0 : before.entries != 0;
  }

  /// Whether the earlier of two entries blocks the later entry.
  constexpr bool conflicts(role earlier, role later) const noexcept {
    return kind_ != shared || earlier == role::exclusive || later == role::exclusive;
  }

  /// Whether an entry with an equal number may have replaced a deleted entry: a writer becomes a
  /// reader.
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

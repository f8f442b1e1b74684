#pragma once

#include "queue/entry_name.hpp"

#include <cstdint>
#include <string_view>

namespace zklock::queue {

/// Who stands before an entry in line.
struct ahead {
  std::uint32_t entries = 0;
  std::uint32_t exclusive = 0;

  void pass(role wants) noexcept {
    ++entries;
    exclusive += wants == role::exclusive;
  }

  void leave(role wants) noexcept {
    --entries;
    exclusive -= wants == role::exclusive;
  }
};

/// Decides who of those in line may hold. This is all that tells one kind of lock from another;
/// the queue does the rest.
class rule {
 public:
  /// What stands before the number in the names of our entries.
  virtual std::string_view label(role wants) const noexcept = 0;

  /// What an entry of another client wants, in the eyes of this lock.
  virtual role seen_as(role wants) const noexcept = 0;

  /// Whether an entry may hold with these before it.
  virtual bool admits(const ahead& before, role wants) const noexcept = 0;

  /// Whether nobody may hold with these before him, so that one need not look further.
  virtual bool closed(const ahead& before) const noexcept = 0;

  /// Whether the earlier of two entries keeps the later one from holding.
  virtual bool bars(role earlier, role later) const noexcept = 0;

  /// Whether somebody who leaves may have taken another place with the same number before: a writer
  /// that has become a reader.
  virtual bool changes(role wants) const noexcept = 0;

 protected:
  ~rule() = default;
};

/// One holds, the first in line.
class exclusive_rule final : public rule {
 public:
  std::string_view label(role) const noexcept override { return "-lock-"; }
  role seen_as(role) const noexcept override { return role::exclusive; }
  bool admits(const ahead& before, role) const noexcept override { return before.entries == 0; }
  bool closed(const ahead& before) const noexcept override { return before.entries != 0; }
  bool bars(role, role) const noexcept override { return true; }
  bool changes(role) const noexcept override { return false; }
};

/// One writes, or many read: a reader waits for the writers before it, a writer for all.
class shared_rule final : public rule {
 public:
  std::string_view label(role wants) const noexcept override {
    return wants == role::shared ? "-__READ__" : "-__WRIT__";
  }
  role seen_as(role wants) const noexcept override { return wants; }
  bool admits(const ahead& before, role wants) const noexcept override {
    return wants == role::shared ? before.exclusive == 0 : before.entries == 0;
  }
  bool closed(const ahead& before) const noexcept override { return before.exclusive != 0; }
  bool bars(role earlier, role later) const noexcept override {
    return earlier == role::exclusive || later == role::exclusive;
  }
  bool changes(role wants) const noexcept override { return wants == role::exclusive; }
};

} // namespace zklock::queue

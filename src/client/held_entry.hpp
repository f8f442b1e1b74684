#pragma once

#include <zklock/fencing_token.hpp>

#include "client/grant.hpp"
#include "client/lock_definition.hpp"
#include "client/node_path.hpp"

#include <atomic>
#include <cstdint>
#include <string>

namespace zklock::detail {

/// The entry, or its permits, by which an acquisition holds or has held the lock. Any thread, once
/// the acquisition was granted.
///
/// Invariant: only its role changes: a writer becomes a reader at most once.
class held_entry {
 public:
  void set(const grant& by) noexcept {
    by_ = by;
    role_.store(by.wants, std::memory_order_relaxed);
  }

  /// 0 before the grant.
  queue::entry_id id() const noexcept { return by_.entry; }
  fencing_token token() const noexcept { return {by_.czxid, by_.turn}; }
  /// The number of nodes.
  std::uint32_t nodes() const noexcept { return by_.permits == 0 ? 1 : by_.permits; }
  /// The path of a node; `index` is less than `nodes()`.
  std::string node(const lock_definition& lock, std::uint32_t index) const {
    std::string path;
    if (by_.permits != 0)
      append_permit_path(path, lock.permits, by_.session, by_.entry, index);
    else
      append_entry_path(path, lock.line, by_.session, by_.entry, policy_of(lock.kind).label(role()),
                        by_.number);
    return path;
  }

  queue::role role() const noexcept { return role_.load(std::memory_order_acquire); }
  void become_reader() noexcept { role_.store(queue::role::shared, std::memory_order_release); }

 private:
  grant by_;
  std::atomic<queue::role> role_{queue::role::exclusive};
};

} // namespace zklock::detail

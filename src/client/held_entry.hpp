#pragma once

#include <zklock/fencing_token.hpp>

#include "client/grant.hpp"
#include "client/lock_definition.hpp"

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
  void set(const grant& by) noexcept;

  /// 0 before the grant.
  queue::entry_id id() const noexcept { return id_; }
  fencing_token token() const noexcept { return {czxid_, turn_}; }
  /// The number of nodes.
  std::uint32_t nodes() const noexcept { return permits_ == 0 ? 1 : permits_; }
  /// The path of a node; `index` is less than `nodes()`.
  std::string node(const lock_definition& lock, std::uint32_t index) const;

  queue::role role() const noexcept { return role_.load(std::memory_order_acquire); }
  void become_reader() noexcept { role_.store(queue::role::shared, std::memory_order_release); }

 private:
  queue::session_token session_{};
  queue::entry_id id_ = 0;
  queue::sequence number_ = 0;
  std::atomic<queue::role> role_{queue::role::exclusive};
  std::int64_t czxid_ = 0;
  std::uint32_t turn_ = 0;
  // 0 if the entry itself is the hold.
  std::uint32_t permits_ = 0;
};

} // namespace zklock::detail

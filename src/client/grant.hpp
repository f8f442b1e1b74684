#pragma once

#include "queue/entry_name.hpp"

#include <cstdint>

namespace zklock::detail {

/// The entry, or its permits, by which an acquisition holds the lock.
struct grant {
  queue::session_token session{};
  queue::entry_id entry = 0;
  queue::role wants = queue::role::exclusive;
  queue::sequence number = 0;
  std::int64_t czxid = 0;
  std::uint32_t turn = 0;
  /// The number of permits held; 0 if the entry itself is the hold.
  std::uint32_t permits = 0;
  /// Whether the node of the entry has the identity of another acquisition.
  bool is_misnamed = false;
};

} // namespace zklock::detail

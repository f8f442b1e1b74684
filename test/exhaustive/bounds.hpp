#pragma once

#include "event.hpp"
#include "plan.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace exhaustive {

/// The scope of a search: every history in which no kind of event happens more often than its
/// bound.
struct bounds {
  std::string_view name;
  simulation::lock_kind kind = simulation::lock_kind::exclusive;
  /// Whether the directory exists from the start.
  bool is_made = true;
  std::size_t window = simulation::plan::plenty;
  std::uint32_t handoffs = 0;
  /// How many permits there are.
  std::uint32_t limit = 1;
  std::uint8_t clients = 2;
  /// Callers of each client: as many acquisitions at a time.
  std::uint8_t waiters = 2;
  std::uint8_t foreign_clients = 0;
  /// A bit for each client that caches entries.
  std::uint8_t caching = 0;
  /// Whether the lines grant without the strand wherever they may.
  bool fast = false;

  // Of each client.
  std::uint8_t acquires = 2;
  std::uint8_t tries = 0;
  std::uint8_t reads = 0;
  std::uint8_t pairs = 0;

  // Of all clients together.
  std::uint8_t give_ups = 0;
  std::uint8_t downgrades = 0;
  std::uint8_t cuts = 0;
  std::uint8_t expiries = 0;
  std::uint8_t deletions = 0;
  std::uint8_t reaps = 0;
  std::uint8_t checks = 0;
  std::uint8_t foreign_acquires = 0;
  std::uint8_t foreign_crashes = 0;
  /// How often a session is not proven when something could be granted.
  std::uint8_t doubts = 0;
};

/// The bounds of the gate, in which 2 clients have 2 waiters each, and the bounds that take long.
std::span<const bounds> gate() noexcept;
std::span<const bounds> long_ones() noexcept;

} // namespace exhaustive

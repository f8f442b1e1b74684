#pragma once

#include <zklock/found_lock.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace zklock::cli {

/// Since when a holder has been observed.
struct observed_hold {
  std::chrono::nanoseconds age{0};

  /// Whether the first look of all showed it. The hold may then be older by any time.
  bool older = false;
};

/// A lock in `zklock top`.
struct lock_row {
  /// The lock as the last look showed it. If the lock is free now, its type is from an earlier
  /// look.
  found_lock lock{};

  std::size_t holders = 0;
  std::size_t waiters = 0;

  /// Hand-overs a second. No value after the first look.
  std::optional<double> handovers{};

  /// How long the first of the waiters has been in line, by this machine's clock.
  std::optional<std::chrono::nanoseconds> longest_wait{};

  /// The index of the longest observed holder in `lock.participants`; no value without a holder.
  std::optional<std::size_t> holder{};
  observed_hold held{};

  /// The marks of a doubtful lock.
  std::vector<std::string> marks{};
};

/// The orders of the rows.
enum class sort_key : std::uint8_t { waiters, longest, handovers, path };

} // namespace zklock::cli

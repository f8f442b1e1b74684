#pragma once

#include "queue/lock_policy.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>

namespace zklock::queue {

struct settings {
  /// How many entries that do not hold yet may be in ZooKeeper at a time; later acquisitions wait
  /// in this client.
  std::size_t max_entries = 64;

  /// How many entries of other clients right before an entry of ours are watched: the nearest tells
  /// when ours may hold, the next when to list again.
  std::size_t look_ahead = 2;

  /// The bytes that an entry takes from the budget: the length of its path.
  std::size_t entry_bytes = 100;

  /// How often an entry is handed over to a waiting acquisition of this client before it is
  /// deleted. Without a limit while it is known that no other client wants the lock.
  std::uint32_t local_handoffs = 0;

  /// Whether an entry is cached for the next acquisition of this client while no other client wants
  /// the lock. Without effect on permits.
  bool cache = false;

  /// Which entries of the line may hold.
  lock_policy policy = lock_policy::exclusive;

  /// How many entries of other readers may be before a cached entry: a writer waits for each of
  /// them (LU-17493).
  std::size_t most_readers = 16;

  /// How often an entry is granted before it is deleted. Tokens have 32 bits for the turn.
  std::uint32_t most_turns = std::numeric_limits<std::uint32_t>::max();

  /// How many permits can be taken at once.
  std::uint32_t most_permits = std::numeric_limits<std::uint32_t>::max();

  /// How many permits there are; empty if the servers are to be asked.
  std::optional<std::uint32_t> limit{};
};

} // namespace zklock::queue

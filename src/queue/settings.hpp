#pragma once

#include "queue/lock_policy.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>

namespace zklock::queue {

struct settings {
  /// How many entries that do not hold yet may be in ZooKeeper at a time; the others wait here.
  std::size_t window = 64;

  /// How many of the entries of others right before ours are watched ahead of time: one tells when
  /// it is our turn, the other when to look which else are left.
  std::size_t look_ahead = 2;

  /// What an entry takes from the budget: the bytes of its path.
  std::size_t entry_bytes = 100;

  /// How often one entry is handed over to another acquisition of this client, where one waits,
  /// before it is deleted. Without a limit while it is known that no other client wants the lock.
  std::uint32_t local_handoffs = 0;

  /// Whether an entry is kept for the next acquisition of this client while no other client wants
  /// the lock. Without effect on permits.
  bool cache = false;

  /// Which entries of the line may hold.
  lock_policy policy = lock_policy::exclusive;

  /// How many entries of other readers before one that is kept are tolerated: a writer waits for
  /// each of them (LU-17493).
  std::size_t most_readers = 16;

  /// How often an entry is granted before it is deleted. Tokens have 32 bits for that.
  std::uint32_t most_turns = std::numeric_limits<std::uint32_t>::max();

  /// How many permits can be taken at once.
  std::uint32_t most_permits = std::numeric_limits<std::uint32_t>::max();

  /// How many permits there are; nothing where the servers are to be asked.
  std::optional<std::uint32_t> limit{};
};

} // namespace zklock::queue

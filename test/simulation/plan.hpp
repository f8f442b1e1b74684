#pragma once

#include "dice.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace simulation {

enum class lock_kind : std::uint8_t { exclusive, shared, counted };

/// What a history may do next.
enum class deed : std::uint8_t {
  network,
  acquire,
  try_acquire,
  release,
  downgrade,
  give_up,
  cut,
  depose,
  expire,
  set_limit,
  foreign_start,
  foreign_finish,
  foreign_downgrade,
  foreign_crash,
  reap,
  replace,
  delete_by_hand,
  set_data,
  litter,
  deny,
  check_entry,
  forget,
  multi_caller,
  count_
};

/// What one history is like: who takes part, and how rough the times are. Drawn from the seed.
struct plan {
  /// As good as no bound.
  static constexpr std::size_t plenty = 64;

  plan(dice& dice, lock_kind kind);

  std::size_t weight(deed what) const noexcept { return weights[static_cast<std::size_t>(what)]; }

  lock_kind kind;
  /// One client alone and no faults: the requests are counted.
  bool steady;
  std::size_t servers;
  std::size_t directories;
  std::size_t clients;
  std::size_t foreign_clients;
  std::size_t steps;
  std::size_t window;
  std::size_t look_ahead;
  /// How many entries of ours a session may own.
  std::size_t budget;
  /// How many of them may be borrowed while somebody waits for more.
  std::size_t lendable = 0;
  /// How often an entry may be handed over.
  std::uint32_t handoffs;
  /// How many permits there are at most, and whether clients must ask for that.
  std::uint32_t limit;
  bool limit_is_told;
  /// How many want the lock at a time, at most, in each client.
  std::size_t callers;
  /// How many of the clients have somebody who wants several locks.
  std::size_t multi_callers = 0;
  std::size_t unproven_percent;
  /// How many of a hundred deletes are refused.
  std::size_t throttled_percent = 0;
  /// How readily servers apply what the leader has decided.
  std::size_t apply_percent;
  std::array<std::size_t, static_cast<std::size_t>(deed::count_)> weights{};

 private:
  void add_multi_callers(dice dice);
};

} // namespace simulation

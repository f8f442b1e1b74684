#pragma once

#include "dice.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace simulation {

enum class lock_kind : std::uint8_t { exclusive, shared, counted };

/// An event of a history.
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
  evict,
  rename,
  count_
};

/// The parameters of a history: its clients, and how often each fault happens. Drawn from the seed.
struct plan {
  /// How often an entry may be granted: few times, so that it is reached.
  static constexpr std::uint32_t most_turns = 12;
  /// In effect no bound.
  static constexpr std::size_t plenty = 64;

  plan(dice& dice, lock_kind kind);

  /// No clients, a single server, nothing scarce, and no faults.
  explicit plan(lock_kind of_kind) noexcept : kind(of_kind) {}

  bool caches(std::size_t client) const noexcept { return (caching >> client & 1) != 0; }

  std::size_t weight(deed what) const noexcept { return weights[static_cast<std::size_t>(what)]; }

  lock_kind kind;
  /// A single client and no faults: the requests are counted.
  bool steady = false;
  std::size_t servers = 1;
  std::size_t directories = 1;
  std::size_t clients = 0;
  std::size_t foreign_clients = 0;
  std::size_t steps = 0;
  std::size_t window = plenty;
  std::size_t look_ahead = 8;
  /// How many entries a session may own.
  std::size_t budget = plenty;
  /// How often an entry may be handed over locally.
  std::uint32_t handoffs = 0;
  /// A bit for each client that caches entries.
  std::size_t caching = 0;
  /// How many of a hundred releases leave it to the client to keep the entry.
  std::size_t keep_percent = 100;
  /// How many of a hundred acquires of a cached lock are granted without the queue.
  std::size_t outside_percent = 0;
  /// The highest number of permits, and whether clients read the limit from its node.
  std::uint32_t limit = 1;
  bool limit_is_told = false;
  /// The most acquisitions of a lock at a time in each client.
  std::size_t callers = plenty;
  /// How many of the clients have a caller of several locks.
  std::size_t multi_callers = 0;
  /// How many of a hundred acquisitions have an identity of their own.
  std::size_t named_percent = 0;
  std::size_t unproven_percent = 0;
  /// How many of a hundred deletes are refused.
  std::size_t throttled_percent = 0;
  /// How many of a hundred writes that may be combined are undone with the part of another lock.
  std::size_t undone_percent = 0;
  /// How many of a hundred lost connections leave creates that are carried out after the next
  /// connect.
  std::size_t late_percent = 0;
  /// How many of a hundred acquires are made by a client that is misled just before: the directory
  /// is replaced, and its entry deleted.
  std::size_t mislead_percent = 0;
  /// How readily servers apply the leader's transactions.
  std::size_t apply_percent = 100;
  std::array<std::size_t, static_cast<std::size_t>(deed::count_)> weights{};

 private:
  void add_multi_callers(dice dice);
  void make_misleading(dice& dice);
  void set(deed what, std::size_t weight) noexcept;
  void make_room_scarce(dice& dice);
};

} // namespace simulation

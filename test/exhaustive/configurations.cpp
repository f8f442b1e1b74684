#include "bounds.hpp"

#include <array>

namespace exhaustive {

namespace {

using simulation::lock_kind;

constexpr std::array in_gate{
    bounds{.name = "small", .is_made = false, .waiters = 1, .acquires = 1, .tries = 1},
    bounds{.name = "mutex", .acquires = 2},
    bounds{.name = "mutex_new", .is_made = false, .acquires = 2},
    bounds{.name = "mutex_window", .window = 1, .acquires = 2, .give_ups = 1},
    bounds{.name = "mutex_tries", .acquires = 1, .tries = 1, .give_ups = 1},
    bounds{.name = "mutex_doubt", .acquires = 1, .tries = 1, .doubts = 2},
    bounds{.name = "mutex_cut", .acquires = 2, .cuts = 1},
    bounds{.name = "mutex_cut_give_up", .waiters = 1, .acquires = 2, .give_ups = 1, .cuts = 1},
    bounds{.name = "mutex_expiry", .waiters = 1, .acquires = 2, .give_ups = 1, .expiries = 1},
    bounds{.name = "mutex_hand", .waiters = 1, .acquires = 2, .deletions = 1, .checks = 1},
    bounds{.name = "mutex_reap", .is_made = false, .waiters = 1, .acquires = 2, .reaps = 2},
    bounds{.name = "mutex_handoffs", .handoffs = 1, .acquires = 2},
    bounds{.name = "mutex_foreign",
           .waiters = 1,
           .foreign_clients = 1,
           .acquires = 2,
           .foreign_acquires = 1,
           .foreign_crashes = 1},
    bounds{.name = "readers",
           .kind = lock_kind::shared,
           .waiters = 1,
           .acquires = 1,
           .reads = 1,
           .downgrades = 1},
    bounds{.name = "permits", .kind = lock_kind::counted, .limit = 2, .waiters = 1, .acquires = 2},
    bounds{.name = "permits_one_client",
           .kind = lock_kind::counted,
           .limit = 2,
           .clients = 1,
           .acquires = 2,
           .pairs = 1,
           .give_ups = 1},
    bounds{.name = "permits_doubt",
           .kind = lock_kind::counted,
           .waiters = 1,
           .acquires = 1,
           .doubts = 1},
    bounds{
        .name = "permits_cut", .kind = lock_kind::counted, .waiters = 1, .acquires = 1, .cuts = 1},
    bounds{.name = "mutex_cached", .waiters = 1, .caching = 3, .acquires = 3},
    bounds{.name = "mutex_cached_cut", .waiters = 1, .caching = 1, .acquires = 3, .cuts = 1},
    bounds{.name = "mutex_cached_tries", .waiters = 1, .caching = 3, .acquires = 2, .tries = 1},
    bounds{.name = "mutex_cached_doubt", .waiters = 1, .caching = 1, .acquires = 3, .doubts = 1},
    bounds{.name = "mutex_cached_foreign",
           .clients = 1,
           .waiters = 2,
           .foreign_clients = 1,
           .caching = 1,
           .acquires = 4,
           .foreign_acquires = 2},
    bounds{.name = "readers_cached_foreign",
           .kind = lock_kind::shared,
           .clients = 1,
           .foreign_clients = 1,
           .caching = 1,
           .acquires = 1,
           .reads = 3,
           .foreign_acquires = 1},
    bounds{.name = "mutex_handoffs_foreign",
           .handoffs = 1,
           .clients = 1,
           .waiters = 3,
           .foreign_clients = 1,
           .acquires = 4,
           .foreign_acquires = 1},
    bounds{.name = "mutex_one_client",
           .handoffs = 1,
           .clients = 1,
           .acquires = 2,
           .cuts = 1,
           .deletions = 1,
           .checks = 1},
    bounds{.name = "readers_one_client",
           .kind = lock_kind::shared,
           .handoffs = 1,
           .clients = 1,
           .acquires = 1,
           .reads = 2,
           .downgrades = 1,
           .deletions = 1,
           .checks = 1},
    bounds{.name = "readers_downgrade",
           .kind = lock_kind::shared,
           .waiters = 1,
           .acquires = 1,
           .downgrades = 1,
           .cuts = 1},
};

constexpr std::array take_long{
    bounds{.name = "readers_cached",
           .kind = lock_kind::shared,
           .waiters = 1,
           .caching = 3,
           .acquires = 1,
           .reads = 3},
    bounds{.name = "mutex_cached_line", .caching = 1, .acquires = 3},
    bounds{.name = "mutex_3x2", .clients = 3, .acquires = 2},
    bounds{.name = "mutex_three_times", .acquires = 3},
    bounds{.name = "mutex_expiry_2x2", .acquires = 2, .expiries = 1},
    bounds{.name = "mutex_hand_2x2", .acquires = 2, .deletions = 1, .checks = 1},
    bounds{.name = "mutex_foreign_2x2", .foreign_clients = 1, .acquires = 2, .foreign_acquires = 1},
    bounds{.name = "readers_2x2", .kind = lock_kind::shared, .acquires = 1, .reads = 1},
    bounds{.name = "readers_cut",
           .kind = lock_kind::shared,
           .waiters = 1,
           .acquires = 1,
           .reads = 1,
           .downgrades = 2,
           .cuts = 1},
    bounds{
        .name = "permits_2x2", .kind = lock_kind::counted, .limit = 2, .acquires = 1, .pairs = 1},
};

} // namespace

std::span<const bounds> gate() noexcept {
  return in_gate;
}

std::span<const bounds> long_ones() noexcept {
  return take_long;
}

} // namespace exhaustive

#include "plan.hpp"

#include <algorithm>

namespace simulation {

plan::plan(dice& dice, lock_kind of_kind)
    : kind(of_kind),
      steady(dice.chance(4)),
      servers(dice.between(1, 3)),
      directories(dice.chance(30) ? 2 : 1),
      clients(dice.between(1, 4)),
      foreign_clients(dice.below(4)),
      steps(dice.between(100, 400)),
      window(dice.chance(70) ? dice.between(1, 4) : plenty),
      look_ahead(dice.chance(70) ? dice.between(1, 3) : 8),
      budget(dice.chance(40) ? dice.between(1, 5) : plenty),
      handoffs(dice.chance(40) ? static_cast<std::uint32_t>(dice.between(1, 4)) : 0),
      limit(static_cast<std::uint32_t>(kind == lock_kind::counted ? dice.between(1, 4) : 1)),
      limit_is_told(kind == lock_kind::counted && !steady && dice.chance(40)),
      callers(dice.between(1, 8)),
      unproven_percent(dice.chance(50) ? dice.between(1, 30) : 0),
      apply_percent(dice.between(5, 95)) {
  // Some histories have none of a kind of fault.
  const auto trouble = [&](deed what, std::size_t most) {
    set(what, dice.chance(60) ? dice.between(1, most) : 0);
  };
  set(deed::network, dice.between(100, 400));
  set(deed::acquire, dice.between(20, 100));
  set(deed::release, dice.between(10, 100));
  trouble(deed::give_up, 40);
  trouble(deed::try_acquire, 40);
  trouble(deed::cut, 20);
  trouble(deed::expire, 10);
  trouble(deed::depose, 20);
  set(deed::foreign_start, dice.between(10, 60));
  set(deed::foreign_finish, dice.between(10, 60));
  trouble(deed::foreign_crash, 10);
  trouble(deed::reap, 60);
  trouble(deed::replace, 30);
  trouble(deed::delete_by_hand, 8);
  trouble(deed::set_data, 10);
  trouble(deed::litter, 4);
  trouble(deed::check_entry, 40);
  trouble(deed::forget, 20);
  if (dice.chance(25)) trouble(deed::deny, 10);

  if (kind == lock_kind::shared) {
    set(deed::downgrade, dice.chance(70) ? dice.between(1, 60) : 0);
    set(deed::foreign_downgrade, dice.chance(70) ? dice.between(1, 60) : 0);
  }

  if (kind == lock_kind::counted) {
    handoffs = 0;
    if (budget == plenty || steady) budget = 4 * plenty;
    set(deed::set_limit, limit_is_told ? dice.between(1, 20) : 0);
  }

  if (dice.chance(35)) {
    // The directory is often empty, and soon deleted: numbers often start from 0.
    callers = dice.between(1, 2);
    steps = dice.between(300, 400);
    set(deed::acquire, dice.between(10, 40));
    set(deed::release, dice.between(60, 150));
    set(deed::foreign_start, dice.between(5, 30));
    set(deed::foreign_finish, dice.between(60, 150));
    set(deed::reap, dice.between(60, 200));
    trouble(deed::replace, 100);
  }

  // The limit may be lowered below what such a caller wants.
  if (!steady && !limit_is_told && directories > 1 && clients > 1) add_multi_callers(dice.aside());

  auto aside = dice.aside(3);
  if (aside.chance(30)) throttled_percent = aside.between(1, 50);
  // Just enough for one waiter of all permits, or less.
  if (kind == lock_kind::counted && budget < plenty && multi_callers == 0 && aside.chance(50)) {
    budget = aside.chance(70) ? limit + aside.below(2) : aside.between(1, limit);
    directories = aside.between(1, 3);
  }

  auto combined = dice.aside(15);
  if (combined.chance(30)) undone_percent = combined.between(1, 50);

  auto late = dice.aside(4);
  if (late.chance(30)) late_percent = late.between(20, 100);

  auto keeping = dice.aside(5);
  if (!steady && kind != lock_kind::counted && keeping.chance(40)) {
    caching = keeping.chance(50) ? ~std::size_t{0} : keeping.below(16);
    keep_percent = 90;
    outside_percent = keeping.aside().chance(50) ? 60 : 0;
    set(deed::evict, keeping.chance(60) ? keeping.between(1, 10) : 0);
    // A lock that several clients use all the time is never cached.
    if (multi_callers == 0 && keeping.chance(50)) clients = keeping.between(1, 2);
    if (keeping.chance(50)) foreign_clients = keeping.below(2);
    // Other clients request the release.
    if (keeping.chance(50)) set(deed::set_data, keeping.between(5, 40));
  }

  auto naming = dice.aside(16);
  if (naming.chance(30)) {
    named_percent = naming.between(5, 100);
    set(deed::rename, naming.chance(60) ? naming.between(1, 40) : 0);
  }

  auto scarce = dice.aside(6);
  if (!steady && scarce.chance(kind == lock_kind::counted ? 25 : 5)) make_room_scarce(scarce);
  auto misleading = dice.aside(13);
  if (!steady && misleading.chance(10)) make_misleading(misleading);

  if (!steady) return;
  throttled_percent = undone_percent = late_percent = mislead_percent = 0;
  clients = 1;
  directories = 1;
  foreign_clients = 0;
  unproven_percent = 0;
  handoffs = 0;
  for (const auto what :
       {deed::downgrade, deed::give_up, deed::try_acquire, deed::cut, deed::depose, deed::expire,
        deed::reap, deed::replace, deed::delete_by_hand, deed::set_data, deed::litter, deed::deny,
        deed::check_entry, deed::forget})
    set(what, 0);
}

void plan::set(deed what, std::size_t weight) noexcept {
  weights[static_cast<std::size_t>(what)] = weight;
}

// Callers of several locks meet callers of a single lock in each client, and lose entries.
void plan::make_room_scarce(dice& dice) {
  limit_is_told = false;
  limit = std::min(limit, 3u);
  directories = dice.between(2, 3);
  clients = dice.between(2, 3);
  callers = dice.between(2, 6);
  window = dice.between(2, 6);
  multi_callers = clients * dice.between(1, 3);
  const std::size_t most = directories * limit;
  budget = most + dice.below(2 * most);
  set(deed::set_limit, 0);
  set(deed::multi_caller, dice.between(50, 150));
  set(deed::acquire, dice.between(50, 100));
  set(deed::delete_by_hand, dice.chance(60) ? dice.between(1, 20) : 0);
  set(deed::reap, dice.chance(60) ? dice.between(20, 100) : 0);
}

// A client is misled while it does not watch the directory: after few uses, or a reconnect.
void plan::make_misleading(dice& dice) {
  limit_is_told = false;
  limit = std::min(limit, 2u);
  clients = dice.between(1, 2);
  foreign_clients = dice.below(2);
  callers = dice.between(2, 3);
  window = plenty;
  throttled_percent = dice.chance(40) ? dice.between(10, 70) : 0;
  mislead_percent = dice.between(20, 100);
  set(deed::acquire, dice.between(50, 100));
  set(deed::release, dice.between(50, 150));
  set(deed::give_up, dice.between(20, 100));
  set(deed::cut, dice.between(5, 40));
  set(deed::forget, dice.between(5, 40));
  set(deed::delete_by_hand, dice.between(1, 4));
  set(deed::replace, 1);
  set(deed::set_limit, 0);
  set(deed::deny, dice.chance(20) ? 1 : 0);
}

// There must be room for all locks of a caller, but not for the locks of two callers.
void plan::add_multi_callers(dice dice) {
  if (!dice.chance(40)) return;
  directories = dice.between(2, 3);
  multi_callers = dice.between(2, clients + 2);
  set(deed::multi_caller, dice.between(20, 100));
  if (budget >= plenty) return;
  const std::size_t most = directories * limit;
  budget = dice.chance(50) ? std::max(budget, most) : budget + most - 1;
}

} // namespace simulation

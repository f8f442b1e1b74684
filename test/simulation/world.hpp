#pragma once

#include "dice.hpp"
#include "ensemble.hpp"
#include "failure.hpp"
#include "plan.hpp"
#include "queue/entry.hpp"
#include "queue/rule.hpp"
#include "referee.hpp"
#include "statistics.hpp"

#include <cstdint>

namespace simulation {

/// What all in one history share.
struct world {
  world(std::uint64_t seed, lock_kind kind, bool traced)
      : dice(seed),
        plan(dice, kind),
        trace(traced),
        rule(rule_of(kind)),
        ensemble(plan.servers, plan.directories * (kind == lock_kind::counted ? 2 : 1), dice,
                 statistics, trace),
        referee(rule, ensemble) {}

  /// What the next one who comes wants: where the rule makes a difference, either; sometimes more
  /// permits than there are.
  zklock::queue::demand any_demand() {
    if (plan.kind != lock_kind::counted) return {.wants = wanted_role()};
    const auto permits = dice.chance(40) ? dice.between(1, plan.limit) : 1;
    return {.permits = dice.chance(2) ? plan.limit + 1 : static_cast<std::uint32_t>(permits)};
  }

  role wanted_role() {
    return plan.kind == lock_kind::shared && dice.chance(50) ? role::shared : role::exclusive;
  }

  /// The directory of a semaphore's permits.
  std::size_t permits_of(std::size_t directory) const noexcept {
    return directory + plan.directories;
  }

  static const zklock::queue::rule& rule_of(lock_kind kind) {
    static const zklock::queue::exclusive_rule exclusive;
    static const zklock::queue::shared_rule shared;
    if (kind == lock_kind::shared) return shared;
    return exclusive;
  }

  simulation::dice dice;
  simulation::plan plan;
  simulation::statistics statistics;
  simulation::trace trace;
  const zklock::queue::rule& rule;
  simulation::ensemble ensemble;
  simulation::referee referee;
};

} // namespace simulation

#pragma once

#include "dice.hpp"
#include "ensemble.hpp"
#include "failure.hpp"
#include "plan.hpp"
#include "queue/rule.hpp"
#include "referee.hpp"
#include "statistics.hpp"

#include <cstdint>

namespace simulation {

/// What all in one history share.
struct world {
  world(std::uint64_t seed, const zklock::queue::rule& the_rule, bool traced)
      : dice(seed),
        plan(dice),
        trace(traced),
        rule(the_rule),
        ensemble(plan.servers, plan.directories, dice, statistics, trace),
        referee(rule, ensemble) {}

  /// What the next one who comes wants: where the rule makes a difference, either.
  role wanted_role() {
    const bool either = rule.seen_as(role::shared) == role::shared;
    return either && dice.chance(50) ? role::shared : role::exclusive;
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

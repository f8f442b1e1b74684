#pragma once

#include "dice.hpp"
#include "ensemble.hpp"
#include "failure.hpp"
#include "names.hpp"
#include "plan.hpp"
#include "queue/entry.hpp"
#include "queue/lock_policy.hpp"
#include "referee.hpp"
#include "statistics.hpp"

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <string>

namespace simulation {

/// The objects that all parts of a history share.
struct world {
  world(simulation::dice numbers, lock_kind kind, bool traced)
      : world(
            numbers, [=](auto& from) { return simulation::plan(from, kind); }, traced) {}

  /// The plan is given, and no event is drawn: the caller decides the events.
  world(const simulation::plan& given, bool traced)
      : world(
            simulation::dice::loaded(), [&](auto&) { return given; }, traced) {}

  /// The mode of the next acquisition: either role where the policy distinguishes them; sometimes
  /// more permits than there are.
  zklock::queue::lock_mode any_demand() {
    auto demand = possible_demand();
    if (plan.kind == lock_kind::counted && dice.chance(2)) demand.permits = plan.limit + 1;
    return demand;
  }

  /// As `any_demand`, but never more permits than there are.
  zklock::queue::lock_mode possible_demand() {
    if (plan.kind != lock_kind::counted)
      return {.wants = wanted_role(), .identity = any_identity(plan.named_percent)};
    const auto permits = dice.chance(40) ? dice.between(1, plan.limit) : 1;
    return {.permits = static_cast<std::uint32_t>(permits),
            .identity = any_identity(plan.named_percent)};
  }

  /// Of a hundred results so many are new identities; the others are null.
  zklock::queue::identity_pointer any_identity(std::size_t percent) {
    if (percent == 0 || !dice.chance(percent)) return nullptr;
    return std::make_shared<const std::string>(text("name ", ++last_identity_));
  }

  role wanted_role() {
    return plan.kind == lock_kind::shared && dice.chance(50) ? role::shared : role::exclusive;
  }

  /// The directory of a semaphore's permits.
  std::size_t permits_of(std::size_t directory) const noexcept {
    return directory + plan.directories;
  }

  static zklock::queue::lock_policy policy_of(lock_kind kind) {
    if (kind == lock_kind::shared) return zklock::queue::lock_policy::shared;
    if (kind == lock_kind::counted) return zklock::queue::lock_policy::counted;
    return zklock::queue::lock_policy::exclusive;
  }

  /// Calls a function that may find a rule broken, in code where no exception may pass: `rethrow`
  /// throws the failure.
  template <class Function>
  void watch(Function function) noexcept {
    if (broken) return;
    try {
      function();
    } catch (const failure&) {
      broken = std::current_exception();
    }
  }

  void rethrow() const {
    if (broken) std::rethrow_exception(broken);
  }

  simulation::dice dice;
  simulation::plan plan;
  simulation::statistics statistics;
  simulation::trace trace;
  zklock::queue::lock_policy policy;
  simulation::names names;
  simulation::ensemble ensemble;
  simulation::referee referee;
  std::exception_ptr broken;

 private:
  template <class MakePlan>
  world(simulation::dice from, MakePlan make_plan, bool traced)
      : dice(from),
        plan(make_plan(dice)),
        trace(traced),
        policy(policy_of(plan.kind)),
        names(plan),
        ensemble(plan.servers, plan.directories * (plan.kind == lock_kind::counted ? 2 : 1),
                 plan.kind == lock_kind::counted ? plan.directories : 1, dice, statistics, trace),
        referee(policy, ensemble) {}

  std::size_t last_identity_ = 0;
};

} // namespace simulation

#pragma once

#include "conduct.hpp"

#include <cstddef>
#include <vector>

namespace simulation {

/// What a client holds of a lock by what it knew of a directory that is no more.
struct misled {
  struct hold {
    acquisition_id acquisition;
    node_id node;
  };

  std::vector<hold> holds{};
  /// What would tell is refused, until there is a list.
  bool refused = false;
  /// Since it has heard: how often all was answered that it had sent, and how many answers make
  /// the next time.
  int rounds = 0;
  std::size_t answers = 0;
};

} // namespace simulation

#pragma once

#include "conduct.hpp"

#include <cstddef>
#include <vector>

namespace simulation {

/// The holds of a lock that a client has granted with the knowledge of a deleted directory.
struct misled {
  struct hold {
    acquisition_id acquisition;
    node_id node;
  };

  std::vector<hold> holds{};
  /// The reply that would tell the client is refused, until the next list.
  bool refused = false;
  /// Since the client has heard: how often all its requests were answered, and the number of
  /// replies at which that happens next.
  int rounds = 0;
  std::size_t answers = 0;
};

} // namespace simulation

#pragma once

#include "support/raw_client.hpp"

#include <stdexcept>
#include <string>

namespace zklock::test {

/// Returns the stat structure of a node. Throws, with its path, if the server has no such node.
inline testing::node_stat stat_of(testing::raw_client& witness, const std::string& node) {
  const auto found = witness.exists(node);
  if (!found) throw std::runtime_error("the server has no node " + node);
  return *found;
}

} // namespace zklock::test

#pragma once

#include "chaos/checker.hpp"
#include "chaos/cluster.hpp"

#include <string>
#include <vector>

namespace chaos {

/// Creates the directories that must exist before the run.
void prepare_znodes(const cluster& servers);

/// The nodes and sessions that are left at the servers after the run.
struct remains {
  std::vector<std::string> wrong;
  std::vector<committed_node> commits;
  /// The version of the servers.
  std::string version;
};

/// Waits until no session is left, and looks for znodes. Blocks for a minute at most.
remains look_at_remains(const cluster& servers);

} // namespace chaos

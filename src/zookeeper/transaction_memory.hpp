#pragma once

#include "zookeeper/c_client.hpp"

#include <cstddef>
#include <vector>

namespace zklock::zookeeper {

/// The memory that the C client fills with the reply to a transaction.
struct transaction_memory {
  std::vector<zoo_op_result_t> results;
  /// The paths of `creates` created nodes. The buffers behind them are kept for later transactions.
  std::vector<std::vector<char>> created;
  std::size_t creates = 0;
  Stat stat{};
};

} // namespace zklock::zookeeper

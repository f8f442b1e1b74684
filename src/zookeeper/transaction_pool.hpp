#pragma once

#include "zookeeper/c_client.hpp"

#include <array>
#include <cstddef>
#include <memory>
#include <vector>

namespace zklock::zookeeper {

/// The memory that the C client fills with the reply to a transaction.
struct transaction_reply {
  std::vector<zoo_op_result_t> results;
  /// The paths of so many created nodes. Those behind them are kept for their memory.
  std::vector<std::vector<char>> created;
  std::size_t creates = 0;
  Stat stat{};
};

/// Memory of replies that were read, for the transactions that follow: with it, a transaction
/// allocates nothing.
class transaction_pool {
 public:
  std::unique_ptr<transaction_reply> take();
  void give_back(std::unique_ptr<transaction_reply> what) noexcept;

 private:
  std::array<std::unique_ptr<transaction_reply>, 16> free_;
};

} // namespace zklock::zookeeper

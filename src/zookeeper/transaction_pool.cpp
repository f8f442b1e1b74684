#include "zookeeper/transaction_pool.hpp"

#include <algorithm>
#include <utility>

namespace zklock::zookeeper {

namespace {

// A transaction that creates more is rare.
constexpr std::size_t most_kept_paths = 128;

} // namespace

std::unique_ptr<transaction_reply> transaction_pool::take() {
  const auto found =
      std::find_if(free_.begin(), free_.end(), [](const auto& each) { return each != nullptr; });
  if (found == free_.end()) return std::make_unique<transaction_reply>();
  (*found)->creates = 0;
  return std::move(*found);
}

void transaction_pool::give_back(std::unique_ptr<transaction_reply> what) noexcept {
  const auto found = std::find(free_.begin(), free_.end(), nullptr);
  if (found != free_.end() && what->created.size() <= most_kept_paths) *found = std::move(what);
}

} // namespace zklock::zookeeper

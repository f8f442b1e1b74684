#pragma once

#include "transaction.hpp"

#include <compare>
#include <cstdint>

namespace deterministic::servers {

/// The leader that a replica votes for: the replica with the newest log.
struct vote {
  std::int64_t epoch = 0;
  zxid last = 0;
  int leader = 0;

  auto operator<=>(const vote&) const = default;
};

enum class role { down, looking, following, leading };

/// The notification that replicas send each other during an election.
struct notification {
  int from = 0;
  role state = role::looking;
  std::uint64_t round = 0;
  servers::vote vote{};
};

} // namespace deterministic::servers

#pragma once

#include <cstdint>

namespace zklock::zookeeper {

/// The layout of a successful reply after its header.
enum class reply_layout : std::uint8_t {
  nothing,
  path,
  stat,
  path_and_stat,
  data_and_stat,
  names_and_stat,
  names,
  /// A result for each part of a transaction.
  results,
};

} // namespace zklock::zookeeper

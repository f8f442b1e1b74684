#pragma once

#include "zookeeper/request.hpp"

#include <cstdint>
#include <limits>
#include <optional>

namespace zklock::detail {

/// Parses the data of a limit's node, as Curator's SharedCount writes it: four bytes, the highest
/// first. Empty if the data is no number from 0 to 2^31 - 1.
inline std::optional<std::uint32_t> parse_permit_limit(const zookeeper::reply& node) noexcept {
  if (node.result != zookeeper::status::ok || node.data.size() != 4) return std::nullopt;
  std::uint32_t number = 0;
  for (const char c : node.data)
    number = number << 8 | static_cast<unsigned char>(c);
  if (number > std::numeric_limits<std::int32_t>::max()) return std::nullopt;
  return number;
}

} // namespace zklock::detail

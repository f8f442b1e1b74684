#pragma once

#include <string_view>

namespace zklock::zookeeper {

/// Checks the absolute path of a node below the root. Returns the rule of ZooKeeper's servers that
/// the path breaks, as "must ..."; null for a valid path.
const char* fault_of_path(std::string_view path) noexcept;

/// Whether the text is well-formed UTF-8.
bool is_utf8(std::string_view text) noexcept;

} // namespace zklock::zookeeper

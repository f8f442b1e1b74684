#pragma once

#include <string_view>

namespace zklock::testing::memory {

/// Returns whether ZooKeeper's `PathUtils.validatePath` accepts the path.
bool is_valid_path(std::string_view path);

/// Returns whether ZooKeeper refuses to delete the node: it belongs to the servers.
bool is_special_path(std::string_view path);

/// Returns whether the path has a parent that `parent_of` finds.
bool has_parent(std::string_view path);

/// Returns the path of the parent.
std::string_view parent_of(std::string_view path);

} // namespace zklock::testing::memory

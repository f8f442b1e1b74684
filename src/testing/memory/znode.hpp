#pragma once

#include "testing/memory/replies.hpp"

#include <cstdint>
#include <limits>
#include <set>
#include <string>
#include <vector>

namespace zklock::testing::memory {

/// The value of `znode_state::ephemeral_owner` for container nodes.
constexpr std::int64_t container_owner = std::numeric_limits<std::int64_t>::min();

/// The properties of a node that checks of requests depend on.
struct znode_state {
  std::int32_t version = 0;
  std::int32_t aversion = 0;
  /// The number of children that have been created: the next sequence number.
  std::int32_t creations = 0;
  std::int32_t child_count = 0;
  std::int64_t ephemeral_owner = 0;
  std::vector<access> acl{open_access()};

  /// Returns whether a session owns the node.
  bool is_ephemeral() const { return ephemeral_owner != 0 && ephemeral_owner != container_owner; }
};

/// A node of a tree.
struct znode {
  node_data data{};
  znode_state state{};
  std::set<std::string> children{};
  std::int64_t czxid = 0;
  std::int64_t mzxid = 0;
  std::int64_t pzxid = 0;
  std::int64_t ctime = 0;
  std::int64_t mtime = 0;

  /// Returns the stat structure.
  node_stat stat() const;
};

} // namespace zklock::testing::memory

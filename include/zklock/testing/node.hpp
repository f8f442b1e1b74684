#pragma once

#include <cstdint>
#include <string>

namespace zklock::testing {

/// ZooKeeper's stat structure of a node. Times are in milliseconds since 1970.
struct node_stat {
  /// The zxid of the creation.
  std::int64_t czxid = 0;
  /// The zxid of the last change of the data.
  std::int64_t mzxid = 0;
  /// The time of the creation, in milliseconds.
  std::int64_t ctime = 0;
  /// The time of the last change of the data, in milliseconds.
  std::int64_t mtime = 0;
  /// The number of changes of the data.
  std::int32_t version = 0;
  /// The number of changes of the children.
  std::int32_t cversion = 0;
  /// The number of changes of the access control list.
  std::int32_t aversion = 0;
  /// The session that owns an ephemeral node; 0 for other nodes.
  std::int64_t ephemeral_owner = 0;
  /// The size of the data, in bytes.
  std::int32_t data_length = 0;
  /// The number of children.
  std::int32_t num_children = 0;
  /// The zxid of the last change of the children.
  std::int64_t pzxid = 0;
};

/// A node with its data.
struct node {
  /// The data.
  std::string data{};
  /// The stat structure.
  node_stat stat{};
};

} // namespace zklock::testing

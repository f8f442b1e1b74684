#pragma once

#include <cstdint>
#include <string>

namespace zklock::testing {

/// The kinds of nodes, with the numbers they have on the wire.
enum class create_mode : std::int32_t {
  persistent = 0,
  ephemeral = 1,
  persistent_sequential = 2,
  ephemeral_sequential = 3,
  container = 4,
};

/// What ZooKeeper keeps about a node. Times are in milliseconds since 1970.
struct node_stat {
  std::int64_t czxid = 0;
  std::int64_t mzxid = 0;
  std::int64_t ctime = 0;
  std::int64_t mtime = 0;
  std::int32_t version = 0;
  std::int32_t cversion = 0;
  std::int32_t aversion = 0;
  std::int64_t ephemeral_owner = 0;
  std::int32_t data_length = 0;
  std::int32_t num_children = 0;
  std::int64_t pzxid = 0;
};

/// A node.
struct node {
  std::string data{};
  node_stat stat{};
};

/// An entry of a node's access control list.
struct access {
  /// A sum of 1 read, 2 write, 4 create, 8 delete, 16 admin.
  std::int32_t permissions = 31;
  std::string scheme{};
  std::string id{};
};

/// Returns the entry that lets anyone do anything.
inline access open_access() {
  return {31, "world", "anyone"};
}

/// Returns the entry that lets those do what `permissions` says who have the credentials that the
/// node's creator has added with `add_auth`.
inline access creator_access(std::int32_t permissions = 31) {
  return {permissions, "auth", ""};
}

/// What a watch has seen.
struct watch_event {
  /// 1 created, 2 deleted, 3 data changed, 4 children changed.
  std::int32_t type = 0;
  std::string path{};
};

} // namespace zklock::testing

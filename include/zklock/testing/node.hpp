#pragma once

#include <cstdint>
#include <string>

namespace zklock::testing {

/// The create modes of nodes, with their numbers on the wire.
enum class create_mode : std::int32_t {
  /// Exists until it is deleted.
  persistent = 0,
  /// Is deleted when its session ends.
  ephemeral = 1,
  /// Exists until it is deleted; the server appends a sequence number to its name.
  persistent_sequential = 2,
  /// Is deleted when its session ends; the server appends a sequence number to its name.
  ephemeral_sequential = 3,
  /// The servers delete it some time after its last child is deleted.
  container = 4,
};

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

/// An entry of a node's access control list.
struct access {
  /// A sum of 1 read, 2 write, 4 create, 8 delete, 16 admin.
  std::int32_t permissions = 31;
  /// The authentication scheme, for example `digest`.
  std::string scheme{};
  /// The id of the clients, in the format of the scheme.
  std::string id{};
};

/// Returns the entry that grants all permissions to all clients.
inline access open_access() {
  return {31, "world", "anyone"};
}

/// Returns the entry that grants permissions to all clients with the credentials of the node's
/// creator, which it has added with `add_auth`.
inline access creator_access(std::int32_t permissions = 31) {
  return {permissions, "auth", ""};
}

/// A watch event.
struct watch_event {
  /// 1 created, 2 deleted, 3 data changed, 4 children changed.
  std::int32_t type = 0;
  /// The path of the node.
  std::string path{};
};

} // namespace zklock::testing

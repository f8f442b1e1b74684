#pragma once

#include <cstdint>
#include <string>

namespace zklock::testing {

/// The kinds of nodes, with the numbers they have on the wire.
enum class create_mode : std::int32_t {
  /// Stays until it is removed.
  persistent = 0,
  /// Is deleted with its session.
  ephemeral = 1,
  /// Stays until it is removed; the server appends a number to its name.
  persistent_sequential = 2,
  /// Is deleted with its session; the server appends a number to its name.
  ephemeral_sequential = 3,
  /// The servers remove it some time after its last child is gone.
  container = 4,
};

/// The properties that ZooKeeper keeps of a node. Times are in milliseconds since 1970.
struct node_stat {
  /// The transaction that created it.
  std::int64_t czxid = 0;
  /// The transaction that last changed its data.
  std::int64_t mzxid = 0;
  /// When it was created, in milliseconds.
  std::int64_t ctime = 0;
  /// When its data was last changed, in milliseconds.
  std::int64_t mtime = 0;
  /// How often its data has changed.
  std::int32_t version = 0;
  /// How often its list of children has changed.
  std::int32_t cversion = 0;
  /// How often its access control list has changed.
  std::int32_t aversion = 0;
  /// The session that owns an ephemeral node; 0 for others.
  std::int64_t ephemeral_owner = 0;
  /// The size of its data, in bytes.
  std::int32_t data_length = 0;
  /// The number of its children.
  std::int32_t num_children = 0;
  /// The transaction that last changed its list of children.
  std::int64_t pzxid = 0;
};

/// A node with its data.
struct node {
  /// Its data.
  std::string data{};
  /// Its properties.
  node_stat stat{};
};

/// An entry of a node's access control list.
struct access {
  /// A sum of 1 read, 2 write, 4 create, 8 delete, 16 admin.
  std::int32_t permissions = 31;
  /// ZooKeeper's name of the authentication scheme.
  std::string scheme{};
  /// The clients that it is for, in the scheme's own form.
  std::string id{};
};

/// Returns the entry that lets anyone do anything.
inline access open_access() {
  return {31, "world", "anyone"};
}

/// Returns the entry that permits `permissions` to clients with the credentials that the node's
/// creator added with `add_auth`.
inline access creator_access(std::int32_t permissions = 31) {
  return {permissions, "auth", ""};
}

/// An event of a watch.
struct watch_event {
  /// 1 created, 2 deleted, 3 data changed, 4 children changed.
  std::int32_t type = 0;
  /// The path of the node.
  std::string path{};
};

} // namespace zklock::testing

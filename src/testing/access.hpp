#pragma once

#include <cstdint>
#include <string>

namespace zklock::testing {

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

} // namespace zklock::testing

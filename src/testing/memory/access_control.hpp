#pragma once

#include "testing/memory/replies.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace zklock::testing::memory {

/// The permissions of access control lists.
enum permission : std::int32_t { can_read = 1, can_write = 2, can_create = 4, can_delete = 8 };
constexpr std::int32_t can_administer = 16;

using access_list = std::vector<access>;

/// Returns the identity that credentials prove: `user:password` for the scheme `digest`. Returns
/// nothing for other schemes.
std::optional<identity> authenticate(std::string_view scheme, std::string_view credentials,
                                     std::string_view host);

/// Returns whether a list grants any of the permissions to any of the identities. An empty list
/// grants everything.
bool is_permitted(const access_list& list, std::int32_t permissions,
                  const std::vector<identity>& identities);

/// Returns the list that is stored for the list in a request: `auth` becomes the identities of the
/// connection. Returns nothing for an invalid list.
std::optional<access_list> stored_list(const access_list& requested,
                                       const std::vector<identity>& identities);

/// Returns the list without the digests, for clients that must not administer the node.
access_list without_digests(access_list list);

} // namespace zklock::testing::memory

#pragma once

#include <zklock/client_options.hpp>

#include "queue/entry.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace zklock::detail {

/// The longest identity of a client or of an entry, in bytes.
inline constexpr std::size_t longest_identity = 4096;

/// Returns why a text cannot be an identity; empty if it can be.
std::string fault_of_identity(std::string_view text);

/// Returns the identity of an entry with this text; null for the client's identity, which an empty
/// text stands for. Any acquisition can use an entry with the client's identity.
queue::identity_pointer own_identity(const client_options& options, std::string_view text);

} // namespace zklock::detail

#pragma once

#include <zklock/client_options.hpp>

#include "client/lock_definition.hpp"

#include <cstddef>
#include <cstdint>

namespace zklock::detail {

/// What servers take in one packet unless configured otherwise (`jute.maxbuffer` is 0xfffff), less
/// what is in it besides the parts: the header of the request, and the end of the transaction.
inline constexpr std::size_t largest_transaction = std::size_t{1024} * 1024 - 64;

/// What a part takes beside its path, its data and its access list: its header, two lengths, a
/// version or flags. In the servers' log it takes no more.
inline constexpr std::size_t part_bytes = 32;

/// What a create takes for the access list.
std::size_t access_bytes(const client_options& options) noexcept;

/// How many permits fit into the transaction that takes them.
std::uint32_t most_permits_of(const lock_definition& path, const client_options& options) noexcept;

} // namespace zklock::detail

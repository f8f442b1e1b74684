#pragma once

#include <zklock/client_options.hpp>

#include "client/lock_definition.hpp"

#include <cstddef>
#include <cstdint>

namespace zklock::detail {

/// The bytes that the parts of a transaction may take: the largest packet that servers accept by
/// default (`jute.maxbuffer`, 0xfffff), less the header of the request and the end of the
/// transaction.
inline constexpr std::size_t largest_transaction = std::size_t{1024} * 1024 - 64;

/// The bytes that the access list of a create takes.
std::size_t access_bytes(const client_options& options) noexcept;

/// The bytes that an entry or a permit takes of `client_options::max_path_bytes`.
std::size_t entry_bytes_of(const lock_definition& path, const client_options& options) noexcept;

/// Returns how many permits fit into the transaction that takes them.
std::uint32_t most_permits_of(const lock_definition& path, const client_options& options) noexcept;

} // namespace zklock::detail

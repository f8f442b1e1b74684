#pragma once

#include <cstdint>

namespace zklock::zookeeper {

/// The number of the next request of this process, for all connections; it is repeated in the
/// reply. From 1 to 2^31 - 1, then from 1 again: the protocol uses 0 for what the servers do by
/// themselves, and negative numbers for events, pings and credentials.
///
/// Thread safety: safe.
std::int32_t next_request_number() noexcept;

/// Makes `next` the number of the next request.
///
/// Thread safety: safe.
void continue_request_numbers(std::int32_t next) noexcept;

} // namespace zklock::zookeeper

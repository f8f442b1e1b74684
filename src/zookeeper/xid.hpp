#pragma once

#include <cstdint>

namespace zklock::zookeeper {

/// Returns the xid of the next request of this process, on any connection. The reply repeats it.
/// Xids go from 1 to 2^31 - 1, then start from 1 again: the protocol reserves 0 and the negative
/// numbers.
///
/// Thread safety: safe.
std::int32_t next_xid() noexcept;

/// Sets the xid of the next request.
///
/// Thread safety: safe.
void set_next_xid(std::int32_t xid) noexcept;

} // namespace zklock::zookeeper

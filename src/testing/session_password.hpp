#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace zklock::testing {

/// A session password.
using session_password = std::array<std::byte, 16>;

/// Returns the password that ZooKeeper's servers compute for this session.
session_password password_of(std::int64_t session_id);

} // namespace zklock::testing

#pragma once

#include <zklock/any_lock.hpp>

namespace zklock::detail {

/// Gives the library access to the request that a lock stands for.
struct lock_access {
  static const lock_request& request_of(const any_lock& lock) noexcept { return lock.request_; }
};

} // namespace zklock::detail

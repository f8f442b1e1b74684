#pragma once

#include <zklock/any_lock.hpp>

namespace zklock::detail {

/// Looks into locks.
struct lock_access {
  static const wish& wish_of(const any_lock& lock) noexcept { return lock.wish_; }
};

} // namespace zklock::detail

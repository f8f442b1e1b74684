#pragma once

#include <zklock/detail/lock_request.hpp>
#include <zklock/semaphore.hpp>

#include "queue/entry.hpp"

#include <cstdint>

namespace zklock::detail {

/// Returns the mode that a call asks for, with 0 permits if the number of permits is invalid.
inline queue::lock_mode mode_of(const lock_request& wanted) noexcept {
  const auto permits = wanted.permits;
  const bool possible = permits >= 1 && permits <= semaphore::most_permits;
  return {.wants = wanted.shared ? queue::role::shared : queue::role::exclusive,
          .permits = possible ? static_cast<std::uint32_t>(permits) : 0};
}

} // namespace zklock::detail

#pragma once

#include <cstdint>
#include <memory>

namespace zklock::detail {

class lock_calls;
struct lock_definition;

/// The lock to acquire, with its mode and the number of permits.
struct lock_request {
  std::shared_ptr<lock_calls> client;
  std::shared_ptr<const lock_definition> path;
  bool shared = false;
  std::int64_t permits = 1;
};

} // namespace zklock::detail

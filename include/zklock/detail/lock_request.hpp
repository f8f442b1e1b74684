#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace zklock::detail {

class lock_calls;
struct lock_definition;

/// The lock to acquire, with its mode, the number of permits, and the identity of its entries.
struct lock_request {
  std::shared_ptr<lock_calls> client;
  std::shared_ptr<const lock_definition> path;
  bool shared = false;
  std::int64_t permits = 1;
  // Null for the client's identity.
  std::shared_ptr<const std::string> identity{};
};

} // namespace zklock::detail

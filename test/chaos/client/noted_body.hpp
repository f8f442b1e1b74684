#pragma once

#include "chaos/client/scene.hpp"

namespace chaos {

/// Writes that a body has the lock, from its construction to its destruction, which comes also when
/// the body is cancelled.
class noted_body {
 public:
  noted_body(scene& here, const zklock::hold& held, std::uint64_t operation,
             std::chrono::nanoseconds hold_limit = std::chrono::nanoseconds::max());
  ~noted_body();

  noted_body(const noted_body&) = delete;
  noted_body& operator=(const noted_body&) = delete;

 private:
  scene& here_;
  const zklock::hold& held_;
  const std::uint64_t operation_;
};

} // namespace chaos

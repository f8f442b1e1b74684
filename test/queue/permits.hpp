#pragma once

#include "subject.hpp"

namespace zklock::test {

inline queue::lock_mode many(std::uint32_t permits) {
  return {.permits = permits};
}

/// A semaphore of three permits.
struct of_three {
  subject it{{.policy = queue::lock_policy::counted, .limit = 3}};

  /// Acquisition 1 has so many permits by entry 1.
  void take(std::uint32_t permits) {
    it.make_first(many(permits));
    it.permits_listed();
    it.taken(1);
  }
};

} // namespace zklock::test

#pragma once

#include <algorithm>
#include <chrono>
#include <random>

namespace zklock::zookeeper {

/// The delay before the next attempt: 0 at first, then exponential up to one second. Each delay is
/// up to a half longer or shorter, so that the clients of a restarted server do not all connect at
/// once.
class backoff {
 public:
  template <class Engine>
  std::chrono::milliseconds next(Engine& engine) {
    using rep = std::chrono::milliseconds::rep;
    const rep middle = delay_;
    delay_ = std::clamp<rep>(2 * delay_, 10, 1000);
    return std::chrono::milliseconds{
        std::uniform_int_distribution<rep>{middle / 2, middle + middle / 2}(engine)};
  }

  void reset() noexcept { delay_ = 0; }

 private:
  std::chrono::milliseconds::rep delay_ = 0;
};

} // namespace zklock::zookeeper

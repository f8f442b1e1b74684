#pragma once

#include <algorithm>
#include <chrono>
#include <random>

namespace zklock::zookeeper {

/// The delay before the next attempt: 0 at first, then exponential up to a bound. Each delay is up
/// to a half longer or shorter, so that the clients of a restarted server do not all connect at
/// once.
class backoff {
 public:
  static constexpr std::chrono::milliseconds usual_bound{1000};

  template <class Engine>
  std::chrono::milliseconds next(Engine& engine, std::chrono::milliseconds bound = usual_bound) {
    using rep = std::chrono::milliseconds::rep;
    const rep middle = std::min(delay_, bound.count());
    delay_ = std::max<rep>(2 * middle, 10);
    return std::chrono::milliseconds{
        std::uniform_int_distribution<rep>{middle / 2, middle + middle / 2}(engine)};
  }

  void reset() noexcept { delay_ = 0; }

 private:
  std::chrono::milliseconds::rep delay_ = 0;
};

} // namespace zklock::zookeeper

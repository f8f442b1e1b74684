#pragma once

#include <cstddef>
#include <cstdint>

namespace simulation {

/// Random numbers from a seed: splitmix64 and no distribution of the standard library, so that a
/// seed means the same history with every compiler.
class dice {
 public:
  explicit dice(std::uint64_t seed) noexcept : state_(seed) {}

  std::uint64_t next() noexcept {
    state_ += 0x9e3779b97f4a7c15;
    std::uint64_t bits = state_;
    bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9;
    bits = (bits ^ (bits >> 27)) * 0x94d049bb133111eb;
    return bits ^ (bits >> 31);
  }

  std::size_t below(std::size_t bound) noexcept { return static_cast<std::size_t>(next() % bound); }

  std::size_t between(std::size_t least, std::size_t most) noexcept {
    return least + below(most - least + 1);
  }

  /// A sequence of its own, for draws that must not change what a seed means otherwise. Each number
  /// gives another one.
  dice aside(std::uint64_t which = 1) const noexcept { return dice(~state_ * which); }

  bool chance(std::size_t percent) noexcept { return below(100) < percent; }

 private:
  std::uint64_t state_;
};

} // namespace simulation

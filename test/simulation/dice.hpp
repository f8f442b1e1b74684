#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace simulation {

/// Random numbers from a seed: splitmix64 and no distribution of the standard library, so that the
/// history of a seed does not depend on the compiler.
class dice {
 public:
  explicit dice(std::uint64_t seed) noexcept : state_(seed) {}

  /// Draws from `bytes` before it draws from the seed: a fuzzer chooses the history.
  dice(std::uint64_t seed, std::string_view bytes) noexcept
      : state_(seed), bytes_(bytes), has_bytes_(true) {}

  /// Dice that always show the highest number below a bound: the caller decides the events.
  static dice loaded() noexcept {
    dice made(0);
    made.loaded_ = true;
    return made;
  }

  std::uint64_t next() noexcept {
    if (!bytes_.empty()) {
      std::uint64_t drawn = 0;
      for (const char each : take(2))
        drawn = drawn << 8 | static_cast<unsigned char>(each);
      return drawn;
    }
    state_ += 0x9e3779b97f4a7c15;
    std::uint64_t bits = state_;
    bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9;
    bits = (bits ^ (bits >> 27)) * 0x94d049bb133111eb;
    return bits ^ (bits >> 31);
  }

  std::size_t below(std::size_t bound) noexcept {
    return loaded_ ? bound - 1 : static_cast<std::size_t>(next() % bound);
  }

  std::size_t between(std::size_t least, std::size_t most) noexcept {
    return least + below(most - least + 1);
  }

  /// A separate sequence, for draws that must not change the history of old seeds. Each `which`
  /// gives another sequence.
  dice aside(std::uint64_t which = 1) const noexcept { return dice(~state_ * which); }

  bool chance(std::size_t percent) noexcept { return below(100) < percent; }

  /// Whether there were bytes, and all are drawn.
  bool is_spent() const noexcept { return has_bytes_ && bytes_.empty(); }

  /// A text of the bytes; empty where there are none left.
  std::string_view text() noexcept {
    return bytes_.empty() ? bytes_ : take(static_cast<unsigned char>(take(1).front()));
  }

 private:
  std::string_view take(std::size_t count) noexcept {
    const auto taken = bytes_.substr(0, std::min(count, bytes_.size()));
    bytes_.remove_prefix(taken.size());
    return taken;
  }

  std::uint64_t state_;
  std::string_view bytes_;
  bool has_bytes_ = false;
  bool loaded_ = false;
};

} // namespace simulation

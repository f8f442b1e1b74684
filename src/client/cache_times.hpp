#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace zklock::detail {

/// How long the entry of an unused lock is worth caching, by the times of the lock's uses and of
/// its conflicts with other clients.
class cache_times {
 public:
  using clock = std::chrono::steady_clock;

  /// The lock was used so often since the last call.
  void used(clock::time_point now, std::uint32_t uses = 1) noexcept {
    if (last_use_ != clock::time_point()) mean_ += ((now - last_use_) / uses - mean_) / weight;
    last_use_ = now;
  }

  clock::time_point last_use() const noexcept { return last_use_; }

  /// Returns when the cached entry expires: four times the mean time between two uses after the
  /// last use, but after 10 ms at the earliest and `most` at the latest.
  clock::time_point cached_until(clock::duration most) const noexcept {
    constexpr clock::duration least = std::chrono::milliseconds(10);
    return last_use_ + std::clamp(4 * mean_, std::min(least, most), most);
  }

  // In a conflict another client wants a lock whose entry is cached. As with the reader bias of
  // BRAVO (ATC'19), caching is then off for nine times as long as the eviction took: other clients
  // wait at most a tenth longer. The pause after a conflict over an exclusive entry has a minimum,
  // which doubles with each conflict: clients often take turns at such a lock. A shared entry has
  // no minimum: many readers beside a rare writer are the case for which shared entries are cached.

  void conflict_began(clock::time_point now, bool is_reading) noexcept {
    if (is_in_conflict_) return;
    is_in_conflict_ = true;
    began_ = now;
    // The minimum is reset if no conflict followed for as long as the last pause.
    const auto least = now - pause_ends_ > pause_ ? shortest_pause : 2 * pause_;
    least_pause_ = is_reading ? clock::duration() : least;
  }
  void conflict_ended(clock::time_point now) noexcept {
    if (!is_in_conflict_) return;
    is_in_conflict_ = false;
    pause_ = std::min(std::max(factor * (now - began_), least_pause_), longest_pause);
    pause_ends_ = now + pause_;
  }
  bool is_in_conflict() const noexcept { return is_in_conflict_; }
  bool may_cache(clock::time_point now) const noexcept {
    return !is_in_conflict_ && now >= pause_ends_;
  }

 private:
  // The newest time between two uses makes an eighth of the moving average.
  static constexpr int weight = 8;
  static constexpr int factor = 9;
  static constexpr clock::duration shortest_pause = std::chrono::seconds(1);
  static constexpr clock::duration longest_pause = std::chrono::seconds(60);

  clock::time_point last_use_{};
  clock::duration mean_{std::chrono::seconds(1)};
  bool is_in_conflict_ = false;
  clock::time_point began_{};
  clock::duration least_pause_{};
  clock::duration pause_{};
  clock::time_point pause_ends_{};
};

} // namespace zklock::detail

#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace zklock::detail {

/// For how long a lock that is not in use is worth keeping, by the times of its uses and of the
/// conflicts with other clients.
class keep_times {
 public:
  using clock = std::chrono::steady_clock;

  /// Used so often since the last time.
  void used(clock::time_point now, std::uint32_t uses = 1) noexcept {
    if (last_use_ != clock::time_point()) mean_ += ((now - last_use_) / uses - mean_) / weight;
    last_use_ = now;
  }

  clock::time_point last_use() const noexcept { return last_use_; }

  /// Until when it is kept: four times the mean time between its uses, within these bounds.
  clock::time_point keep_until(clock::duration most) const noexcept {
    constexpr clock::duration least = std::chrono::milliseconds(10);
    return last_use_ + std::clamp(4 * mean_, std::min(least, most), most);
  }

  // Another client wants what was kept. As the reader bias of BRAVO (ATC'19), keeping is off for
  // nine times as long as it took to give the lock up: others wait at most a tenth longer. What is
  // kept to be held alone is not kept for longer: it is often wanted by turns. Many that read
  // beside one that writes now and then are the case that readers are kept for.

  void conflict_began(clock::time_point now, bool is_reading) noexcept {
    if (is_in_conflict_) return;
    is_in_conflict_ = true;
    began_ = now;
    // What went well for as long as the last pause begins anew.
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
  bool may_keep(clock::time_point now) const noexcept {
    return !is_in_conflict_ && now >= pause_ends_;
  }

 private:
  // The newest time counts as much as an eighth of those before it.
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

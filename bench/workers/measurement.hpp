#pragma once

#include "settings.hpp"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <vector>

namespace bench {

/// CLOCK_MONOTONIC: one and the same for all processes of a machine.
using clock = std::chrono::steady_clock;

/// One acquire and release, as its waiter saw it.
struct cycle {
  clock::time_point started;
  clock::time_point held;
  clock::time_point released;
  clock::time_point ended;
};

/// The measured window of a worker. Its cycles may be added by several threads, each to samples of
/// its own.
class measurement {
 public:
  explicit measurement(const settings& chosen) : stamps_(chosen.stamps) {}

  /// What one thread has seen.
  class samples {
   public:
    explicit samples(const measurement& owner) : owner_(&owner) {}

    /// Counts where the window is open; cycles that began before belong to it, or long ones would
    /// be missing.
    void add(const cycle& one);

   private:
    friend class measurement;
    const measurement* owner_;
    std::vector<float> milliseconds_{};
    std::vector<cycle> stamps_{};
  };

  /// Says "measuring".
  void open();

  /// Says "measured".
  void close();

  /// Prints one line of JSON.
  void report(const std::vector<samples>& all) const;

 private:
  bool stamps_;
  std::atomic<bool> open_{false};
  clock::time_point opened_{};
  double seconds_ = 0;
  double cpu_seconds_ = 0;
  long peak_rss_kib_ = 0;
  long threads_ = 0;
};

/// Says "ready" and waits for "go"; throws where the input ends instead.
void wait_for_go();

} // namespace bench

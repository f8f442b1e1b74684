#pragma once

#include "instruction_counter.hpp"
#include "settings.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace bench {

/// CLOCK_MONOTONIC, which all processes of a machine share.
using clock = std::chrono::steady_clock;

/// The times of an acquire and its release, as the waiter sees them.
struct cycle {
  clock::time_point started;
  clock::time_point held;
  clock::time_point released;
  clock::time_point ended;
};

/// The measured window of a worker. Several threads may add cycles, each to its own samples.
class measurement {
 public:
  explicit measurement(const settings& chosen) : stamps_(chosen.stamps) {}

  /// The cycles of a thread.
  class samples {
   public:
    explicit samples(const measurement& owner) : owner_(&owner) {}

    /// Adds a cycle if the window is open. A cycle that began before the window counts: otherwise
    /// long cycles would be missing.
    void add(const cycle& one);

    /// Notes that the stack has grown by so many bytes.
    void note_stack(std::size_t bytes) { stack_ = std::max(stack_.value_or(0), bytes); }

   private:
    friend class measurement;
    const measurement* owner_;
    // In milliseconds: of whole cycles, and until the lock was held.
    std::vector<float> cycles_{};
    std::vector<float> acquires_{};
    std::vector<cycle> stamps_{};
    std::optional<std::size_t> stack_{};
  };

  /// Opens the window and prints "measuring".
  void open();

  /// Closes the window and prints "measured".
  void close();

  /// Prints a line of JSON.
  void report(const std::vector<samples>& all) const;

 private:
  static std::vector<float> sort(const std::vector<samples>& all,
                                 std::vector<float> samples::*times);

  bool stamps_;
  std::atomic<bool> open_{false};
  clock::time_point opened_{};
  double seconds_ = 0;
  double cpu_seconds_ = 0;
  long peak_rss_kib_ = 0;
  long threads_ = 0;
  std::uint64_t system_calls_ = 0;
  instruction_counter counter_{};
  std::optional<std::uint64_t> instructions_{};
};

/// Prints "ready" and waits for "go". Throws if the input ends instead.
void wait_for_go();

} // namespace bench

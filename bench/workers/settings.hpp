#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

namespace bench {

/// What a worker does, between "go" and the end of the measured window.
enum class work {
  /// Acquire, keep it for a while, release and wait until that is done; again.
  cycle,
  /// The same, without waiting for the release.
  background,
  /// The same, each time with a lock that has never been used.
  first_use,
  /// Try to get a lock that somebody else holds.
  try_busy,
  /// Hold one lock until the standard input ends: for those who try.
  hold,
  /// Without a lock: two processes in turn delete a node that the other one watches.
  handover,
};

/// The command line, which workers of all systems share.
struct settings {
  std::string servers{};
  work mode = work::cycle;
  std::string path{};
  /// Who this is among the processes that take part.
  std::size_t index = 0;
  std::size_t waiters = 1;
  /// Waiter i uses lock i modulo this.
  std::size_t locks = 1;
  /// Other locks that are held all the while.
  std::size_t held = 0;
  /// Other locks that were used before.
  std::size_t known = 0;
  std::uint32_t local_handoffs = 0;
  /// How long each keeps the lock.
  std::chrono::microseconds keep{0};
  /// Before a waiter queues again it pauses for a random time up to this.
  std::chrono::microseconds pause{0};
  std::chrono::microseconds warmup{500'000};
  std::chrono::microseconds window{1'000'000};
  /// Whether to report when each hold began and ended.
  bool stamps = false;
};

/// Throws `std::invalid_argument` where an argument is unknown or makes no sense.
settings read_settings(int argc, char** argv);

/// The path of a waiter's lock.
std::string lock_of(const settings& chosen, std::size_t waiter);

} // namespace bench

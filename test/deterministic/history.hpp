#pragma once

#include "deterministic/kernel/kernel.hpp"
#include "host.hpp"
#include "nemesis.hpp"
#include "server_side.hpp"
#include "world.hpp"

#include <chrono>
#include <cstdint>
#include <deque>

namespace deterministic {

/// A history: processes that use the library, servers, and faults, all of which the seed chooses.
/// Then the faults end, and all must come to its end and leave nothing behind.
class history {
 public:
  history(std::uint64_t seed, bool printed, const setting& of);
  ~history();

  /// Throws `failure` if a rule is broken.
  void run();

  const deterministic::statistics& statistics() const noexcept { return world_.statistics; }
  const trace& told() const noexcept { return world_.tell; }
  /// Equal for equal histories.
  std::uint64_t hash() const noexcept { return world_.tell.hash() ^ kernel_.history(); }
  std::chrono::nanoseconds simulated() const noexcept { return world_.clock().now(); }

 private:
  /// Runs until a condition holds, and fails if it does not in this time.
  void run_until(std::chrono::nanoseconds within, const std::function<bool()>& over,
                 const std::string& what);
  void run_for(std::chrono::nanoseconds duration);
  bool look();
  void come_to_rest();
  void check_rest();
  std::string waits() const;

  world world_;
  kernel kernel_;
  server_side servers_;
  std::deque<host> hosts_;
  nemesis nemesis_;
};

} // namespace deterministic

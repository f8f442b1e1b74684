#pragma once

#include <ctime>

namespace simulation {

/// Returns the processor time of this process, in seconds. Unlike wall time, it does not depend on
/// other processes.
inline double processor_time() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

} // namespace simulation

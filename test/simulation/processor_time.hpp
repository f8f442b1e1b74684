#pragma once

#include <ctime>

namespace simulation {

/// Returns the processor time of this process, in seconds. Others may use the machine, too.
inline double processor_time() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

} // namespace simulation

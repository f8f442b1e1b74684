#pragma once

#include "deterministic/kernel/kernel.hpp"

#include <cerrno>
#include <cstdint>

namespace deterministic {

/// The kernel whose process makes the current call; null if the call is for the real kernel.
inline kernel* calling() noexcept {
  kernel* const installed = kernel::installed();
  return installed && installed->current() ? installed : nullptr;
}

/// As above, for a call with a descriptor.
inline kernel* calling(int descriptor) noexcept {
  return descriptors::is_simulated(descriptor) ? kernel::installed() : nullptr;
}

/// Returns the result of a simulated call in the form of the C library: errors are in errno.
template <class Result>
Result finished(kernel& of, Result result) noexcept {
  of.record().add(static_cast<std::uint64_t>(result));
  if (result >= 0) return result;
  errno = static_cast<int>(-result);
  return -1;
}

} // namespace deterministic

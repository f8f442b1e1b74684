#pragma once

#include <zklock/clock.hpp>
#include <zklock/error.hpp>

#include "client/acquisition.hpp"

namespace zklock::detail {

/// When a body must end that relies on the hold of an acquire, and why.
struct body_end {
  boot_clock::time_point time;
  error_code why;
};

/// Returns when and why a body must end that relies on the hold of `own`; the clock's maximum if
/// the hold is released. Any thread.
body_end end_of_body(acquisition& own) noexcept;

} // namespace zklock::detail

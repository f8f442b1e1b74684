#pragma once

#include <zklock/clock.hpp>
#include <zklock/error.hpp>

namespace zklock::detail {

class acquisition;

/// When work must end that relies on the hold of an acquire, and why.
struct body_end {
  boot_clock::time_point time;
  error_code why;
};

/// Returns the end for the hold of this acquire: the clock's minimum if the hold is lost, and the
/// clock's maximum if the hold is released, since no work relies on a hold whose release has begun.
/// Any thread.
body_end end_of_body(acquisition& own) noexcept;

} // namespace zklock::detail

#pragma once

#include <zklock/clock.hpp>

#include "unique_descriptor.hpp"

namespace zklock::cli {

/// Makes a timer of `boot_clock` that is a descriptor. Throws `failure`.
detail::unique_descriptor make_timer_descriptor();

/// Has the descriptor become readable at a time, and not before. Its clock's maximum is never.
void set_timer_descriptor(int timer, boot_clock::time_point time) noexcept;

} // namespace zklock::cli

#pragma once

#include "support/unique_descriptor.hpp"

namespace zklock::cli {

/// Makes a timer of `boot_clock` that is a descriptor. Throws `failure`.
detail::unique_descriptor make_timer();

} // namespace zklock::cli

#pragma once

#include "deterministic/kernel/kernel.hpp"

#include <poll.h>

#include <span>

namespace deterministic {

/// poll(). Only a thread of the library's own may wait.
int poll(kernel& in, std::span<pollfd> all, int timeout);

} // namespace deterministic

#pragma once

#include "support/unique_descriptor.hpp"

namespace zklock::fuzz {

/// Takes the server's end of the newest connection of this process; invalid if there is none.
///
/// The linker redirects connect() to loopback.cpp, so that the C client connects to a socket pair:
/// without a network, written bytes can be read at once.
detail::unique_descriptor take_server_end() noexcept;

} // namespace zklock::fuzz

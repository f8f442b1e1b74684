#pragma once

#include "chaos/cluster.hpp"

#include <string>

namespace chaos {

/// Returns which entries are first in line, for each lock at each server, with their sessions. A
/// waiter that does not end waits for such an entry, or for an entry that only its server has.
std::string first_in_line(const cluster& servers);

} // namespace chaos

#pragma once

#include "chaos/outcome.hpp"

#include <iosfwd>

namespace chaos {

/// Draws a run as SVG: the grants of each second, and in a part of the run all faults and holds.
void draw(std::ostream& out, const outcome& all);

} // namespace chaos

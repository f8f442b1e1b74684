#pragma once

#include <zklock/testing/node.hpp>

#include "support/jute_writer.hpp"
#include "testing/checked_reader.hpp"

namespace zklock::testing {

/// Writes a stat structure.
void put_stat(detail::jute_writer& out, const node_stat& stat);

/// Reads a stat structure. Throws `error` at the end of the bytes.
node_stat take_stat(checked_reader& in);

} // namespace zklock::testing

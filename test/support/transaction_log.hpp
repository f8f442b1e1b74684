#pragma once

#include <zklock/testing/server.hpp>

#include <cstdint>
#include <string>

namespace zklock::test {

/// Makes a stopped server count the nodes of a directory from `next` on: the next sequential node
/// in it gets this number. Rewrites the last create of a node in the directory in the log of the
/// transactions, with its checksum. Throws if there is none.
void set_next_number(const testing::server& stopped, const std::string& directory,
                     std::int32_t next);

} // namespace zklock::test

#pragma once

#include <bitset>
#include <cstddef>

namespace zklock::detail {

/// Which directories of a lock a client has created, in the order in which they are deleted: the
/// line; of a semaphore also the permits and the parent of both. Directories above are not deleted.
using made_directories = std::bitset<3>;
enum : std::size_t { made_line, made_permits, made_full };

} // namespace zklock::detail

#pragma once

#include <zklock/participant.hpp>

#include "lock/path.hpp"

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace zklock::detail {

/// What the names in a lock's directory, or in that of a semaphore's permits, tell about those who
/// take part, in the order of the queue. Children that are no entries are left out: their names do
/// not look like it, or have numbers that the servers have not given out, since the directory had
/// `children_ever` children only.
std::vector<participant> in_line(const lock_path& lock, std::span<const std::string_view> names,
                                 std::int64_t children_ever);
std::vector<participant> with_permits(const lock_path& lock,
                                      std::span<const std::string_view> names);

/// Finds out who of those in line hold, by the lock's rule.
void settle_holders(const lock_path& lock, std::span<participant> line) noexcept;

/// Of several permits that are held together by zklock only the first one says who holds them: says
/// so of all.
void name_holders(std::span<participant> permits);

/// Whether one permit was taken before another one; those taken together are in order, too.
bool is_older(const participant& a, const participant& b) noexcept;

/// Whether the participant is one of this lock.
bool is_of(const lock_path& lock, const participant& who);

} // namespace zklock::detail

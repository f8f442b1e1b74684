#pragma once

#include <zklock/participant.hpp>

#include "client/lock_definition.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace zklock::detail {

/// What the names in a lock's directory, or in that of a semaphore's permits, tell about those who
/// take part, in the order of the queue. Children that are no entries are left out: their names do
/// not look like it, or have numbers that the servers have not given out, since the directory had
/// `children_ever` children only.
std::vector<participant> in_line(const lock_definition& lock,
                                 std::span<const std::string_view> names,
                                 std::int64_t children_ever);
std::vector<participant> with_permits(const lock_definition& lock,
                                      std::span<const std::string_view> names,
                                      std::int64_t children_ever);

/// Finds out who of those in line hold, by the lock's rule.
void settle_holders(const lock_definition& lock, std::span<participant> line) noexcept;

/// Of several permits that are held together by zklock only the first one says who holds them: says
/// so of all.
void name_holders(std::span<participant> permits);

/// Returns the index of the permit that was made last by others than zklock clients: the only one
/// that may be that of a waiter. Curator's client makes a permit when it stands first in line, and
/// leaves the line once the permits, its own included, are no more than the limit. Only the first
/// in line makes permits, so none is made behind that of a waiter. zklock makes its permits in the
/// transaction that leaves the line.
std::optional<std::size_t> newest_of_others(std::span<const participant> permits) noexcept;

/// Whether so many permits leave the newest one waiting. A limit that is not known leaves it open,
/// and the line decides.
bool exceeds(std::size_t permits, std::optional<std::uint32_t> limit) noexcept;

/// Whether the first in line made this permit, the newest: it is of the same session, and younger
/// than the place in line. Both have been described.
bool made_while_waiting(const participant& first, const participant& permit) noexcept;

/// Whether one permit was taken before another one; those taken together are in order, too.
bool is_older(const participant& a, const participant& b) noexcept;

/// Whether the participant is one of this lock.
bool is_of(const lock_definition& lock, const participant& who);

} // namespace zklock::detail

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

/// Reads participants from the names in the directory of a lock, or in the directory of a
/// semaphore's permits, in the order of the queue. Children that are no entries are left out: their
/// names have another form, or a number that the servers have not assigned yet, since the directory
/// had only `children_ever` children.
std::vector<participant> in_line(const lock_definition& lock,
                                 std::span<const std::string_view> names,
                                 std::int64_t children_ever);
std::vector<participant> with_permits(const lock_definition& lock,
                                      std::span<const std::string_view> names,
                                      std::int64_t children_ever);

/// Marks the participants in line that hold the lock by its policy.
void settle_holders(const lock_definition& lock, std::span<participant> line) noexcept;

/// Copies the identity of the holder to all permits that zklock took together: only the first
/// permit carries the identity in its data.
void name_holders(std::span<participant> permits);

/// Returns the index of the newest permit of other clients than zklock: only this permit can belong
/// to a waiter. A Curator client creates its permit when its entry is first in line, and deletes
/// the entry once the permits, its own included, are no more than the limit. Only the first in line
/// creates permits, so no permit is created after the permit of a waiter. zklock creates its
/// permits in the transaction that deletes its entry.
std::optional<std::size_t> newest_of_others(std::span<const participant> permits) noexcept;

/// Whether the newest of so many permits must wait. True for an unknown limit: the line decides.
bool exceeds(std::size_t permits, std::optional<std::uint32_t> limit) noexcept;

/// Whether the client of the first entry in line created this permit, the newest: it belongs to the
/// same session and is younger than the entry. Both participants are filled in.
bool made_while_waiting(const participant& first, const participant& permit) noexcept;

/// Puts the participants of a lock in the order of the queue: the permits, the oldest first, then
/// the line. A participant without a node has left between the list and the read, and is left out.
/// A waiter that has created its permit is listed once, by its entry in line.
std::vector<participant> in_order(const lock_definition& lock, std::vector<participant> permits,
                                  std::vector<participant> line,
                                  std::optional<std::uint32_t> limit);

/// Whether permit `a` was taken before permit `b`. Permits taken together are ordered, too.
bool is_older(const participant& a, const participant& b) noexcept;

/// Whether the participant belongs to this lock.
bool is_of(const lock_definition& lock, const participant& candidate);

} // namespace zklock::detail

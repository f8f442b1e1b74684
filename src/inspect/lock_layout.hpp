#pragma once

#include <zklock/found_lock.hpp>
#include <zklock/participant.hpp>

#include "client/lock_definition.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace zklock::detail {

/// The children of a directory, as a list showed them.
struct listed_children {
  std::vector<std::string> names;
  std::int64_t ever = 0;

  std::vector<std::string_view> views() const { return {names.begin(), names.end()}; }
};

/// Returns the kind of lock whose entries are among these names; no value where none is an entry.
std::optional<lock_kind> kind_of(std::span<const std::string_view> names) noexcept;

/// Whether the directories `locks` and `leases` are those of a semaphore. Programs use the same
/// names for other purposes, so the children decide. A directory that does not exist has no value;
/// the servers delete empty containers.
bool is_semaphore(const std::optional<listed_children>& locks,
                  const std::optional<listed_children>& leases) noexcept;

/// Converts the kind of a lock to the type that users see.
lock_type type_of(lock_kind kind) noexcept;

/// Returns what an acquisition or an entry of a lock asks for.
participant_role role_of(const lock_definition& lock, queue::role wants) noexcept;

} // namespace zklock::detail

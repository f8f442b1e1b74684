#pragma once

#include "client/lock_definition.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace zklock::detail {

/// The children of a directory, as the reply to a list shows them.
struct listed_children {
  std::vector<std::string> names;
  std::int64_t ever = 0;

  std::vector<std::string_view> views() const { return {names.begin(), names.end()}; }
};

/// Returns the kind of the lock to which the names of entries belong; no value without an entry.
std::optional<lock_kind> kind_of(std::span<const std::string_view> names) noexcept;

/// Whether the directories `locks` and `leases` belong to a semaphore. Programs use both names for
/// other purposes, so the children decide. A directory that does not exist has no value: the
/// servers delete empty containers.
bool is_semaphore(const std::optional<listed_children>& locks,
                  const std::optional<listed_children>& leases) noexcept;

} // namespace zklock::detail

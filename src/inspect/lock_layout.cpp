#include "inspect/lock_layout.hpp"

#include "queue/entry_name.hpp"

#include <algorithm>

namespace zklock::detail {

namespace {

bool is_entry(std::string_view name) noexcept {
  return queue::parse_entry_name(name).has_value();
}

// Curator's and zklock's permits: _c_<UUID>-lease-<number>.
bool is_permit(std::string_view name) noexcept {
  return name.find("-lease-") != name.npos && queue::trailing_number(name) >= 0;
}

} // namespace

std::optional<lock_kind> kind_of(std::span<const std::string_view> names) noexcept {
  std::optional<lock_kind> kind;
  for (const auto name : names) {
    const auto parsed = queue::parse_entry_name(name);
    if (!parsed) continue;
    if (parsed->wants == queue::role::shared || name.find("__WRIT__") != name.npos)
      return lock_kind::shared;
    kind = lock_kind::exclusive;
  }
  return kind;
}

bool is_semaphore(const std::optional<listed_children>& locks,
                  const std::optional<listed_children>& leases) noexcept {
  if (!leases) return false;
  if (!leases->names.empty())
    return std::any_of(leases->names.begin(), leases->names.end(), is_permit);
  if (!locks) return false;
  if (locks->names.empty()) return locks->ever > 0 || leases->ever > 0;
  return std::any_of(locks->names.begin(), locks->names.end(), is_entry);
}

} // namespace zklock::detail

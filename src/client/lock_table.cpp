#include "client/lock_table.hpp"

#include <algorithm>
#include <utility>

namespace zklock::detail {

namespace {

// The paths by which a lock may conflict with another one.
std::vector<std::string_view> names_of(const lock_definition& lock) {
  if (!lock.has_permits()) return {lock.full};
  return {lock.full, lock.line, lock.permits};
}

bool conflict(const lock_definition& a, const lock_definition& b) noexcept {
  return a.full == b.full || a.line == b.line || a.line == b.permits || a.permits == b.line ||
         a.permits == b.permits;
}

} // namespace

lock_in_use* lock_table::find(std::string_view line) const noexcept {
  const auto it = by_line_.find(line);
  return it == by_line_.end() ? nullptr : it->second.get();
}

lock_in_use* lock_table::find_conflict(const lock_definition& added) const noexcept {
  for (const auto name : names_of(added)) {
    const auto [begin, end] = by_name_.equal_range(name);
    const auto it = std::find_if(
        begin, end, [&](const auto& each) { return conflict(each.second->name(), added); });
    if (it != end) return it->second;
  }
  return nullptr;
}

std::vector<std::string> lock_table::watching(std::string_view node) const {
  std::vector<std::string> lines;
  for (auto [it, end] = by_watched_.equal_range(node); it != end; ++it)
    lines.push_back(it->second->name().line);
  return lines;
}

lock_in_use& lock_table::add(std::unique_ptr<lock_in_use> added) {
  lock_in_use& used = *by_line_.emplace(added->name().line, std::move(added)).first->second;
  const auto& lock = used.name();
  for (const auto name : names_of(lock))
    by_name_.emplace(name, &used);
  by_watched_.emplace(lock.line, &used);
  if (lock.has_permits()) {
    by_watched_.emplace(lock.permits, &used);
    if (!lock.limit) by_watched_.emplace(lock.limit_node, &used);
  }
  return used;
}

void lock_table::remove(lock_in_use& removed) {
  const auto is_removed = [&](const auto& each) { return each.second == &removed; };
  std::erase_if(by_watched_, is_removed);
  for (const auto name : names_of(removed.name())) {
    const auto [begin, end] = by_name_.equal_range(name);
    const auto it = std::find_if(begin, end, is_removed);
    if (it != end) by_name_.erase(it);
  }
  by_line_.erase(by_line_.find(removed.name().line));
}

void lock_table::clear() noexcept {
  by_name_.clear();
  by_watched_.clear();
  by_line_.clear();
}

} // namespace zklock::detail

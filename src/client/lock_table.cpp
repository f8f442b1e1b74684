#include "client/lock_table.hpp"

#include <algorithm>
#include <utility>

namespace zklock::detail {

namespace {

// The paths by which a lock may conflict with another lock.
std::vector<std::string_view> names_of(const lock_definition& lock) {
  if (!lock.has_permits()) return {lock.full};
  return {lock.full, lock.line, lock.permits};
}

// The nodes that a lock watches besides its entries.
std::vector<std::string_view> watched_by(const lock_definition& lock) {
  if (!lock.has_permits()) return {lock.line};
  if (lock.limit) return {lock.line, lock.permits};
  return {lock.line, lock.permits, lock.limit_node};
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

void lock_table::note_use(lock_in_use& used) {
  const bool is_idle = used.driver().idle() && !used.driver().state().has_late_writes();
  idle_place& place = used.idle();
  if (place.hook.is_linked() == is_idle) return;
  if (!is_idle) return leave_idle(used);
  place.since = std::chrono::steady_clock::now();
  idle_.push_back(place);
  ++idle_count_;
}

void lock_table::leave_idle(lock_in_use& used) noexcept {
  if (!used.idle().hook.is_linked()) return;
  used.idle().hook.unlink();
  --idle_count_;
}

lock_in_use& lock_table::add(std::unique_ptr<lock_in_use> added) {
  lock_in_use& used = *by_line_.emplace(added->name().line, std::move(added)).first->second;
  for (const auto name : names_of(used.name()))
    by_name_.emplace(name, &used);
  for (const auto node : watched_by(used.name()))
    by_watched_.emplace(node, &used);
  return used;
}

void lock_table::remove(lock_in_use& removed) {
  leave_idle(removed);
  const auto remove_from = [&](by_path& some, std::string_view path) {
    const auto [begin, end] = some.equal_range(path);
    const auto it = std::find_if(begin, end, [&](const auto& e) { return e.second == &removed; });
    if (it != end) some.erase(it);
  };
  for (const auto node : watched_by(removed.name()))
    remove_from(by_watched_, node);
  for (const auto name : names_of(removed.name()))
    remove_from(by_name_, name);
  by_line_.erase(by_line_.find(removed.name().line));
}

void lock_table::clear() noexcept {
  idle_.clear();
  idle_count_ = 0;
  by_name_.clear();
  by_watched_.clear();
  by_line_.clear();
}

} // namespace zklock::detail

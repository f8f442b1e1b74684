#include "client/remembered_locks.hpp"

#include "client/watch_registry.hpp"

#include <utility>

namespace zklock::detail {

void remembered_locks::add(std::string_view line, const idle_lock& kept, time_point unused_since) {
  const auto it = all_.insert(all_.end(), {std::string(line), kept, unused_since});
  by_line_.emplace(it->line, it);
}

std::optional<idle_lock> remembered_locks::take(std::string_view line) {
  const auto it = by_line_.find(line);
  if (it == by_line_.end()) return std::nullopt;
  const auto which = it->second;
  const idle_lock kept = which->kept;
  by_line_.erase(it);
  all_.erase(which);
  return kept;
}

void remembered_locks::directory_changed(std::string_view line, bool deleted) noexcept {
  const auto it = by_line_.find(line);
  if (it == by_line_.end()) return;
  auto& [name, kept, since] = *it->second;
  kept.known.watch_lost();
  if (!deleted) return;
  kept.known.has_directory = false;
  kept.made.reset(made_line);
}

void remembered_locks::disconnected() noexcept {
  for (auto& each : all_)
    each.kept.disconnected();
}

remembered_locks::forgotten remembered_locks::forget_oldest() {
  by_line_.erase(by_line_.find(all_.front().line));
  const remembered oldest = std::move(all_.front());
  all_.pop_front();
  if (oldest.kept.known.is_watched)
    requester_.watches().release(this, oldest.line, zookeeper::watch_kind::node, requester_);
  return {oldest.line, oldest.kept.made};
}

void remembered_locks::clear() noexcept {
  by_line_.clear();
  all_.clear();
}

} // namespace zklock::detail

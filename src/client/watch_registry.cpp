#include "client/watch_registry.hpp"

#include "client/requester.hpp"

#include <algorithm>

namespace zklock::detail {

using zookeeper::watch_event;
using zookeeper::watch_kind;

namespace {

bool fires(watch_event event, watch_kind kind) noexcept {
  return event == watch_event::deleted ||
         (event == watch_event::children) == (kind == watch_kind::children);
}

} // namespace

void watch_registry::asked(user by, const std::string& path, watch_kind kind) {
  const auto [it, added] = uses_.try_emplace({by, path, kind});
  if (added) {
    by_path_.emplace(std::get<std::string>(it->first), it);
    it->second.since = checks_;
  }
  ++it->second.asked;
}

void watch_registry::answered(user by, std::string_view path, watch_kind kind, bool set) {
  const auto it = uses_.find(std::tuple(by, path, kind));
  // The use was released in between.
  if (it == uses_.end()) return;
  --it->second.asked;
  it->second.set |= set;
  if (!it->second.set && it->second.asked == 0) erase(it);
}

void watch_registry::fired(std::string_view path, watch_event event) {
  auto [it, end] = by_path_.equal_range(path);
  while (it != end) {
    const auto use = (it++)->second;
    if (!fires(event, std::get<watch_kind>(use->first))) continue;
    use->second.set = false;
    // A request that is not answered yet sets the watch again, but may have been sent behind a
    // check.
    use->second.since = checks_;
    if (use->second.asked == 0) erase(use);
  }
}

void watch_registry::release(user by, requester& through) {
  for (auto it = first_of(by); it != uses_.end(); it = first_of(by))
    release(it, through);
}

void watch_registry::release(user by, const std::string& path, watch_kind kind,
                             requester& through) {
  const auto it = uses_.find(std::tuple(by, std::string_view(path), kind));
  if (it != uses_.end()) release(it, through);
}

void watch_registry::release(uses::iterator which, requester& through) {
  const auto path = std::get<std::string>(which->first);
  const auto kind = std::get<watch_kind>(which->first);
  erase(which);
  if (!is_used(path, kind)) through.remove_watch(path, kind);
}

void watch_registry::pass_on(user from, user to, const std::string& path, watch_kind kind) {
  const auto it = uses_.find(std::tuple(from, std::string_view(path), kind));
  if (it == uses_.end()) return;
  const state passed = it->second;
  erase(it);
  const auto added = uses_.try_emplace({to, path, kind}, passed).first;
  by_path_.emplace(std::get<std::string>(added->first), added);
}

void watch_registry::leave(user by) {
  for (auto it = first_of(by); it != uses_.end(); it = first_of(by))
    erase(it);
}

void watch_registry::clear() noexcept {
  by_path_.clear();
  uses_.clear();
}

watch_registry::uses::iterator watch_registry::first_of(user by) {
  const auto it = uses_.lower_bound(std::tuple(by, std::string_view(), watch_kind::node));
  return it != uses_.end() && std::get<user>(it->first) == by ? it : uses_.end();
}

void watch_registry::erase(uses::iterator which) {
  const auto [begin, end] = by_path_.equal_range(std::get<std::string>(which->first));
  by_path_.erase(std::find_if(begin, end, [&](const auto& each) { return each.second == which; }));
  uses_.erase(which);
}

bool watch_registry::is_older(std::uint64_t checks, const state& use) const noexcept {
  return use.set && checks_ - use.since > checks;
}

bool watch_registry::is_older(std::uint64_t checks, std::string_view path, watch_kind kind) const {
  const auto [begin, end] = by_path_.equal_range(path);
  return std::any_of(begin, end, [&](const auto& each) {
    const auto& [key, use] = *each.second;
    return std::get<watch_kind>(key) == kind && is_older(checks, use);
  });
}

std::vector<std::string> watch_registry::nodes_watched_for(std::uint64_t checks) const {
  std::vector<std::string> found;
  // The uses are ordered by the addresses of their users, which differ from run to run.
  for (const auto& [path, which] : by_path_)
    if (is_older(checks, which->second) && std::get<watch_kind>(which->first) == watch_kind::node)
      found.emplace_back(path);
  return found;
}

bool watch_registry::is_used(std::string_view path, watch_kind kind) const {
  const auto [begin, end] = by_path_.equal_range(path);
  return std::any_of(begin, end, [&](const auto& each) {
    return std::get<watch_kind>(each.second->first) == kind;
  });
}

} // namespace zklock::detail

#include "names.hpp"

#include "failure.hpp"

namespace simulation {

using zklock::detail::lock_definition;

names::names(const plan& plan) {
  for (std::size_t i = 0; i < plan.directories; ++i) {
    lock_definition lock;
    lock.given = lock.full = lock.line = "/locks/" + std::to_string(i);
    if (plan.kind == lock_kind::shared) lock.kind = zklock::detail::lock_kind::shared;
    if (plan.kind == lock_kind::counted) {
      lock.kind = zklock::detail::lock_kind::semaphore;
      lock.line += "/locks";
      lock.permits = lock.full + "/leases";
      if (plan.limit_is_told)
        lock.limit_node = "/limits/" + std::to_string(i);
      else
        lock.limit = plan.limit;
    }
    locks_.push_back(std::make_shared<const lock_definition>(std::move(lock)));
  }
}

std::string names::path_of(std::size_t directory) const {
  const auto& lock = *locks_[directory % locks_.size()];
  return directory < locks_.size() ? lock.line : lock.permits;
}

location names::locate(std::string_view path) const {
  using kind = location::kind;
  for (std::size_t i = 0; i < locks_.size(); ++i) {
    const auto& lock = *locks_[i];
    if (path == lock.limit_node) return {.what = kind::limit, .directory = i};
    const std::string_view directories[] = {lock.line, lock.permits};
    for (std::size_t which = 0; which < 1u + lock.has_permits(); ++which) {
      const auto directory = directories[which];
      if (!path.starts_with(directory)) continue;
      const auto rest = path.substr(directory.size());
      const auto number = i + which * locks_.size();
      if (rest.empty()) return {.what = kind::directory, .directory = number};
      if (rest.front() == '/')
        return {.what = kind::child, .directory = number, .name = rest.substr(1)};
    }
    if (lock.has_permits() ? path == lock.full : path == "/locks")
      return {.what = kind::parent, .directory = i};
  }
  if (path != "/locks") fail("a request names ", path);
  return {};
}

} // namespace simulation

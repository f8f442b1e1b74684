#include "testing/memory/session_table.hpp"

#include <algorithm>

namespace zklock::testing::memory {

std::int32_t session_table::negotiate(std::int32_t timeout) const {
  // If the lower limit is above the upper limit, the upper limit wins.
  return static_cast<std::int32_t>(std::min<milliseconds>(
      std::max<milliseconds>(timeout, limits_.min_timeout), limits_.max_timeout));
}

void session_table::begin(std::int64_t id, std::int32_t timeout, milliseconds now) {
  sessions_[id];
  touch(id, timeout, now);
}

bool session_table::touch(std::int64_t id, std::int32_t timeout, milliseconds now) {
  auto found = sessions_.find(id);
  if (found == sessions_.end() || found->second.closing) return false;
  unschedule(id, found->second.expiry);
  found->second.expiry = rounded(now + timeout);
  by_expiry_[found->second.expiry].insert(id);
  return true;
}

void session_table::move(std::int64_t id, owner to) {
  if (auto found = sessions_.find(id); found != sessions_.end()) found->second.by = to;
}

code session_table::check(std::int64_t id, owner by) const {
  auto found = sessions_.find(id);
  if (found == sessions_.end() || found->second.closing) return code::session_expired;
  return found->second.by == by ? code::ok : code::session_moved;
}

void session_table::set_closing(std::int64_t id) {
  auto found = sessions_.find(id);
  if (found == sessions_.end() || found->second.closing) return;
  found->second.closing = true;
  unschedule(id, found->second.expiry);
}

void session_table::end(std::int64_t id) {
  set_closing(id);
  sessions_.erase(id);
}

std::vector<std::int64_t> session_table::expire(milliseconds now) {
  std::vector<std::int64_t> expired;
  while (!by_expiry_.empty() && by_expiry_.begin()->first <= now) {
    const std::int64_t id = *by_expiry_.begin()->second.begin();
    set_closing(id);
    expired.push_back(id);
  }
  return expired;
}

void session_table::unschedule(std::int64_t id, milliseconds expiry) {
  auto others = by_expiry_.find(expiry);
  if (others == by_expiry_.end()) return;
  others->second.erase(id);
  if (others->second.empty()) by_expiry_.erase(others);
}

std::optional<milliseconds> session_table::next_expiry() const {
  if (by_expiry_.empty()) return {};
  return by_expiry_.begin()->first;
}

} // namespace zklock::testing::memory

#include "client/held_entry.hpp"

#include "client/node_path.hpp"

namespace zklock::detail {

void held_entry::set(const grant& by) noexcept {
  session_ = by.session;
  id_ = by.entry;
  number_ = by.number;
  role_.store(by.wants, std::memory_order_relaxed);
  czxid_ = by.czxid;
  turn_ = by.turn;
  permits_ = by.permits;
}

std::string held_entry::node(const lock_definition& lock, std::uint32_t index) const {
  std::string path;
  if (permits_ != 0)
    append_permit_path(path, lock.permits, session_, id_, index);
  else
    append_entry_path(path, lock.line, session_, id_, policy_of(lock.kind).label(role()), number_);
  return path;
}

} // namespace zklock::detail

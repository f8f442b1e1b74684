// Creates of a lost connection that reach the leader after the next connect.

#include "ensemble.hpp"

#include <utility>

namespace simulation {

void ensemble::leave_late(connection& connection) {
  std::erase_if(connection.sent,
                [](const request& each) { return each.what != request::kind::create; });
  if (late_percent_ == 0 || connection.sent.empty() || servers_[connection.server].deposed) return;
  if (dice_.chance(late_percent_)) late_.emplace(connection.session, std::move(connection.sent));
}

bool ensemble::carry_out_late(session_id session) {
  const auto found = late_.find(session);
  if (found == late_.end()) return false;
  const auto requests = late_.extract(found);
  if (!lives(session)) return true;
  trace_("    what session ", session, " has sent before is late");
  statistics_.count(seen::carried_out_late);
  for (const auto& each : requests.mapped()) {
    std::size_t transaction = 0;
    execute(each, session, transaction);
  }
  for (auto& each : connections_)
    each.moved |= each.session == session;
  return true;
}

} // namespace simulation

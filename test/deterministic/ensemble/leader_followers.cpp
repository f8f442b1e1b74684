#include "leader.hpp"

#include <algorithm>

namespace deterministic::servers {

void leader::arrived(int from, const message& what) {
  auto& by = followers_.at(from);
  by.heard = member_.on.now();
  by.deadline = tick_ + member_.options.sync_limit;
  std::visit([this, from](const auto& each) { receive(from, each); }, what);
}

void leader::drop(int which) {
  const auto found = followers_.find(which);
  if (found == followers_.end()) return;
  found->second.link->close(member_.id);
  followers_.erase(found);
}

// ---- Sessions.

void leader::receive(int, const pong& what) {
  if (!is_established()) return;
  for (const auto& [session, timeout] : what.touched)
    sessions_->touch(session, timeout);
}

void leader::receive(int from, const servers::revalidate& what) {
  auto& to = followers_.at(from);
  const bool valid = sessions_->touch(what.session, what.timeout);
  if (valid) sessions_->set_owner(what.session, to.number);
  to.link->send(member_.id, servers::revalidate{what.session, what.timeout, valid});
}

void leader::revalidate(session_id session, std::int32_t timeout) {
  const bool valid = sessions_->touch(session, timeout);
  if (valid) sessions_->set_owner(session, own);
  member_.service->revalidated(session, valid);
}

// ---- The loop of Leader.lead.

void leader::half_tick() {
  const auto late = time_point(member_.dice.below(1'000'000));
  half_tick_ = member_.on.after(member_.ticks(1) / 2 + late, [this] {
    if (!skips_tick_) ++tick_;
    const auto synced = std::count_if(followers_.begin(), followers_.end(), [this](auto& each) {
      return each.second.has_accepted_log && tick_ <= each.second.deadline;
    });
    if (!skips_tick_ && synced + 1 < quorum) return member_.look("too few replicas follow");
    skips_tick_ = !skips_tick_;
    ping_followers();
    half_tick();
  });
}

void leader::ping_followers() {
  std::vector<int> late;
  for (const auto& [id, each] : followers_) {
    if (!each.is_sent_proposals) continue;
    if (is_late(id))
      late.push_back(id);
    else
      each.link->send(member_.id, ping{});
  }
  for (const auto id : late)
    drop(id);
}

// The time limit of the socket, and the limit of LearnerHandler.SyncLimitCheck for proposals.
bool leader::is_late(int follower) const {
  const auto limit = member_.ticks(member_.options.sync_limit);
  const auto now = member_.on.now();
  const auto& of = followers_.at(follower);
  if (of.heard + limit < now && !member_.on.has_backlog()) return true;
  for (const auto& [id, each] : outstanding_)
    if (!each.acks.contains(follower)) return each.what->proposed + limit < now;
  return false;
}

} // namespace deterministic::servers

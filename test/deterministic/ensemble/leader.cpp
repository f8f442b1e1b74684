#include "leader.hpp"

#include <chrono>
#include <utility>

namespace deterministic::servers {

void leader::stop() {
  if (std::exchange(stopped_, true)) return;
  for (const auto timer : {give_up_, half_tick_, containers_})
    member_.on.cancel(timer);
  for (const auto& [id, each] : followers_)
    each.link->close(member_.id);
  followers_.clear();
  sessions_.reset();
}

// PrepRequestProcessor
void leader::order(write what, session_tracker::owner by) {
  auto refused = memory::code::ok;
  const auto session = what.session.id;
  if (const auto* begun = std::get_if<memory::create_session_request>(&what.request)) {
    sessions_->track(session, begun->timeout);
    sessions_->set_owner(session, by);
  } else if (std::holds_alternative<memory::close_session_request>(what.request)) {
    sessions_->set_closing(session);
  } else {
    refused = sessions_->check(session, by);
  }
  propose(std::move(what), refused, false);
}

void leader::propose(write what, memory::code refused, bool expires) {
  using std::chrono::milliseconds;
  const auto now = member_.on.now();
  const auto time = member_.options.epoch + std::chrono::floor<milliseconds>(now);
  const auto next = std::make_shared<const transaction>(transaction{
      .id = ++last_,
      .what = std::move(what),
      .time = time.count(),
      .refused = refused,
      .proposed = now,
      .leader = member_.id,
      .expires_session = expires,
  });
  outstanding_.emplace(last_, outstanding{next});
  for (const auto& [id, each] : followers_)
    if (each.is_sent_proposals) each.link->send(member_.id, proposal{next});
  member_.disk.append(next, [this, id = last_] { acked(member_.id, id); });
}

void leader::receive(int from, const ack& what) {
  acked(from, what.id);
}

void leader::acked(int by, zxid id) {
  const auto found = outstanding_.find(id);
  if (found == outstanding_.end()) return;
  found->second.acks.insert(by);
  while (!outstanding_.empty() && outstanding_.begin()->second.acks.size() >= quorum)
    commit_next();
}

void leader::commit_next() {
  const auto what = std::move(outstanding_.begin()->second.what);
  outstanding_.erase(outstanding_.begin());
  committed_ = what->id;
  member_.facts.committed(what);
  for (const auto& [id, each] : followers_)
    if (each.is_sent_proposals) each.link->send(member_.id, commit{what->id});
  if (std::holds_alternative<memory::close_session_request>(what->what.request))
    sessions_->remove(what->what.session.id);
  member_.apply(what);
  const auto waiting = syncs_.find(what->id);
  if (waiting == syncs_.end()) return;
  for (const auto& [follower, number] : waiting->second)
    if (const auto to = followers_.find(follower); to != followers_.end())
      to->second.link->send(member_.id, servers::sync{number});
  syncs_.erase(waiting);
}

void leader::receive(int from, const forward& what) {
  order(what.what, followers_.at(from).number);
}

// The answer follows all commits of the present proposals.
void leader::receive(int from, const servers::sync& what) {
  if (outstanding_.empty())
    followers_.at(from).link->send(member_.id, what);
  else
    syncs_[outstanding_.rbegin()->first].emplace_back(from, what.number);
}

// ContainerManager
void leader::reap_containers() {
  containers_ = member_.on.after(member_.options.container_period, [this] {
    for (const auto& path : member_.data.tree.empty_containers())
      propose(memory::reap_request{path});
    reap_containers();
  });
}

} // namespace deterministic::servers

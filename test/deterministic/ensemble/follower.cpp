#include "follower.hpp"

#include <utility>

namespace deterministic::servers {

using namespace std::chrono_literals;

namespace {

constexpr int most_attempts = 5;

} // namespace

follower::follower(member& of, int leader) : member_(of), leader_(leader) {
  heard_ = of.on.now();
  connect();
  watch_leader();
}

void follower::stop() {
  if (std::exchange(stopped_, true)) return;
  member_.on.cancel(timer_);
  member_.on.cancel(retry_);
  link_->close(member_.id);
}

// The replica that is elected may not know it yet, and then closes the connection.
void follower::connect() {
  ++attempts_;
  link_ = member_.network.open(member_.id, leader_);
  link_->receive(member_.id, [this](const peer_link::arrived& what) {
    if (stopped_) return;
    heard_ = member_.on.now();
    if (what) return std::visit([this](const auto& from) { receive(from); }, *what);
    if (accepted_ || attempts_ == most_attempts) return member_.look("the leader is gone");
    link_->close(member_.id);
    retry_ = member_.on.after(100ms, [this] { connect(); });
  });
  link_->send(member_.id, follower_info{member_.accepted_epoch});
}

time_point follower::limit() const {
  return member_.ticks(up_to_date_ ? member_.options.sync_limit : member_.options.init_limit);
}

void follower::watch_leader() {
  timer_ = member_.on.at(heard_ + limit(), [this] {
    if (member_.on.has_backlog()) heard_ = member_.on.now();
    if (heard_ + limit() <= member_.on.now()) return member_.look("the leader is silent");
    watch_leader();
  });
}

void follower::receive(const leader_info& from) {
  if (from.epoch < member_.accepted_epoch) return member_.look("the leader's epoch is old");
  accepted_ = true;
  const bool is_new = from.epoch > member_.accepted_epoch;
  member_.accepted_epoch = from.epoch;
  link_->send(member_.id,
              ack_epoch{is_new ? member_.current_epoch : -1, member_.disk.log().last()});
}

void follower::receive(const history& from) {
  if (from.snapshot) {
    member_.data = *from.snapshot;
    member_.disk.restart(member_.data.last);
  } else {
    if (member_.data.last > from.after)
      member_.facts.fault("a leader makes replica " + std::to_string(member_.id) +
                          " forget what was committed");
    member_.disk.truncate(from.after);
  }
  for (const auto& each : member_.disk.log().following(member_.data.last))
    proposed_.push_back(each);
  for (const auto& each : from.entries) {
    member_.disk.append(each, [] {});
    proposed_.push_back(each);
  }
  committed_ = from.committed;
  // Proposals that the follower has logged before it lost the connection.
  for (const auto& each : member_.disk.log().following(committed_))
    member_.disk.flush([this, id = each->id] { link_->send(member_.id, ack{id}); });
}

void follower::receive(const new_leader& from) {
  member_.disk.flush([this, epoch = from.epoch] {
    member_.current_epoch = epoch;
    link_->send(member_.id, ack_new_leader{});
  });
}

void follower::receive(const up_to_date&) {
  up_to_date_ = true;
  apply_committed();
  member_.serve(*this);
  member_.on.cancel(timer_);
  watch_leader();
  if (member_.facts.is_traced())
    member_.facts.trace("replica " + std::to_string(member_.id) + " serves, and follows " +
                        std::to_string(leader_));
}

void follower::receive(const proposal& from) {
  proposed_.push_back(from.what);
  member_.disk.append(from.what, [this, id = from.what->id] { link_->send(member_.id, ack{id}); });
}

void follower::receive(const commit& from) {
  committed_ = from.id;
  apply_committed();
}

void follower::apply_committed() {
  while (up_to_date_ && !proposed_.empty() && proposed_.front()->id <= committed_) {
    const auto next = std::move(proposed_.front());
    proposed_.pop_front();
    member_.apply(next);
  }
}

void follower::receive(const ping&) {
  ++table_;
  link_->send(member_.id, pong{{touched_.begin(), touched_.end()}});
  touched_.clear();
}

void follower::receive(const servers::sync& from) {
  if (member_.service) member_.service->synced(from.number);
}

void follower::receive(const servers::revalidate& from) {
  if (member_.service) member_.service->revalidated(from.session, from.valid);
}

bool follower::sync(std::uint64_t number) {
  link_->send(member_.id, servers::sync{number});
  return true;
}

// A note in a table that a ping has replaced meanwhile is lost. Two notes that follow each other
// cannot both be lost to a ping.
bool follower::touch(session_id session, std::int32_t timeout, std::uint64_t table) {
  if (table != table_ && lost_.insert(session).second) return true;
  lost_.erase(session);
  touched_[session] = timeout;
  return true;
}

void follower::revalidate(session_id session, std::int32_t timeout) {
  link_->send(member_.id, servers::revalidate{.session = session, .timeout = timeout});
}

} // namespace deterministic::servers

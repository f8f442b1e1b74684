#include "leader.hpp"

#include <algorithm>
#include <utility>

namespace deterministic::servers {

leader::leader(member& of) : member_(of) {
  accepted_epochs_[of.id] = of.accepted_epoch;
  give_up_ = of.on.after(of.ticks(of.options.init_limit), [this] {
    if (!is_established()) member_.look("no quorum follows");
  });
}

void leader::accept(const std::shared_ptr<peer_link>& from, const message& first) {
  const auto id = from->peer_of(member_.id);
  drop(id);
  followers_.emplace(id, learner{.link = from,
                                 .number = ++last_owner_,
                                 .deadline = tick_ + member_.options.init_limit,
                                 .heard = member_.on.now()});
  from->receive(member_.id, [this, id](const peer_link::arrived& what) {
    if (stopped_) return;
    if (what) return arrived(id, *what);
    drop(id);
  });
  arrived(id, first);
}

void leader::receive(int from, const follower_info& what) {
  accepted_epochs_[from] = what.accepted_epoch;
  auto& to = followers_.at(from);
  if (epoch_ != 0) return to.link->send(member_.id, leader_info{epoch_});
  if (accepted_epochs_.size() < quorum) return;
  for (const auto& [id, accepted] : accepted_epochs_)
    epoch_ = std::max(epoch_, accepted + 1);
  member_.accepted_epoch = epoch_;
  epoch_acks_.insert(member_.id);
  for (const auto& [id, each] : followers_)
    each.link->send(member_.id, leader_info{epoch_});
}

// A replica with a newer log must not follow this replica.
void leader::receive(int from, const ack_epoch& what) {
  auto& by = followers_.at(from);
  const auto own_state = std::pair(member_.current_epoch, member_.disk.log().last());
  if (!epoch_begun_ && what.current_epoch != -1) {
    if (std::pair(what.current_epoch, what.last) > own_state) return drop(from);
    epoch_acks_.insert(from);
  }
  by.last = what.last;
  by.has_acked_epoch = true;
  if (epoch_begun_) return bring_up_to_date(by);
  if (epoch_acks_.size() >= quorum) begin_epoch();
}

void leader::begin_epoch() {
  epoch_begun_ = true;
  member_.current_epoch = epoch_;
  last_ = first_of(epoch_);
  committed_ = member_.disk.log().last();
  log_acks_.insert(member_.id);
  for (auto& [id, each] : followers_)
    if (each.has_acked_epoch) bring_up_to_date(each);
}

void leader::bring_up_to_date(learner& which) {
  const auto& log = member_.disk.log();
  history what{.after = log.newest_up_to(which.last), .committed = committed_};
  if (which.last < log.base()) {
    what.snapshot = std::make_shared<const database>(member_.data);
    what.after = member_.data.last;
  }
  const auto rest = log.following(what.after);
  const auto committed_end = std::find_if(
      rest.begin(), rest.end(), [this](const entry& each) { return each->id > committed_; });
  what.entries.assign(rest.begin(), committed_end);
  which.link->send(member_.id, std::move(what));
  which.link->send(member_.id, new_leader{epoch_});
  for (auto each = committed_end; each != rest.end(); ++each)
    which.link->send(member_.id, proposal{*each});
  which.is_sent_proposals = true;
}

void leader::receive(int from, const ack_new_leader&) {
  auto& by = followers_.at(from);
  by.has_accepted_log = true;
  log_acks_.insert(from);
  if (is_established())
    by.link->send(member_.id, up_to_date{});
  else if (log_acks_.size() >= quorum)
    establish();
}

void leader::establish() {
  member_.on.cancel(give_up_);
  member_.facts.established(member_.id, epoch_, member_.disk.log());
  for (const auto& each : member_.disk.log().following(member_.data.last))
    member_.apply(each);
  // The clock of a Java process begins at any time.
  const time_point phase{member_.dice.below(static_cast<std::size_t>(member_.ticks(1).count()))};
  sessions_.emplace(member_.on, member_.options.tick, phase, [this](session_id session) {
    propose({.origin = member_.id,
             .session = {.id = session},
             .request = memory::close_session_request{}},
            memory::code::ok, true);
  });
  for (const auto& [session, timeout] : member_.data.tree.sessions())
    sessions_->track(session, timeout);
  member_.serve(*this);
  for (const auto& [id, each] : followers_)
    if (each.has_accepted_log) each.link->send(member_.id, up_to_date{});
  half_tick();
  reap_containers();
}

} // namespace deterministic::servers

#include "election.hpp"

#include <algorithm>
#include <utility>

namespace deterministic::servers {

using namespace std::chrono_literals;

namespace {

constexpr auto first_interval = 200ms;
constexpr auto longest_interval = 2000ms;
constexpr auto finalize_wait = 200ms;

std::size_t index(int replica) {
  return static_cast<std::size_t>(replica);
}

} // namespace

election::election(environment with, std::uint64_t round, vote own)
    : environment_(std::move(with)),
      round_(round),
      own_(own),
      vote_(own),
      interval_(first_interval) {
  received_[index(environment_.id)] = current();
  tell();
  repeat();
}

election::~election() {
  environment_.on.cancel(repeat_);
  environment_.on.cancel(decision_);
}

void election::tell() {
  environment_.tell(current());
}

void election::repeat() {
  repeat_ = environment_.on.after(interval_ + 1ns * environment_.dice.below(20'000'000), [this] {
    interval_ = std::min<time_point>(interval_ * 2, longest_interval);
    tell();
    repeat();
  });
}

void election::receive(const notification& from) {
  if (from.state != role::looking) return join_outside(from);
  if (from.round < round_) {
    tell();
    return;
  }
  bool changed = from.round > round_;
  if (changed) {
    round_ = from.round;
    received_ = {};
    vote_ = own_;
  }
  if (from.vote > vote_) {
    vote_ = from.vote;
    changed = true;
  }
  received_[index(from.from)] = from;
  received_[index(environment_.id)] = current();
  if (changed) {
    drop_decision();
    tell();
  }
  settle();
}

bool election::has_quorum(const vote& of) const {
  return std::count_if(received_.begin(), received_.end(),
                       [&](const auto& each) { return each && each->vote == of; }) >= quorum;
}

// Waits for a better vote before it decides.
void election::settle() {
  if (deciding_ || !has_quorum(vote_)) return;
  deciding_ = true;
  decision_ = environment_.on.after(finalize_wait, [this] {
    deciding_ = false;
    const auto elected = environment_.elected;
    if (has_quorum(vote_)) elected(vote_.leader, round_);
  });
}

void election::drop_decision() {
  if (std::exchange(deciding_, false)) environment_.on.cancel(decision_);
}

// A leader that a quorum follows, and that itself says so. They may have agreed in other rounds.
void election::join_outside(const notification& from) {
  outside_[index(from.from)] = from;
  const auto leader = from.vote.leader;
  const auto agree = std::count_if(outside_.begin(), outside_.end(), [&](const auto& each) {
    return each && each->vote.leader == leader;
  });
  const auto& said = outside_[index(leader)];
  if (agree < quorum || leader == environment_.id || !said || said->state != role::leading) return;
  const auto elected = environment_.elected;
  elected(leader, from.round);
}

} // namespace deterministic::servers

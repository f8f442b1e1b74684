#pragma once

#include <zklock/clock.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <vector>

namespace zklock::zookeeper {

/// Until when the servers cannot have ended the session, whatever is cut off, paused or slow.
///
/// The leader alone ends sessions. Behind a follower it hears of one only by the follower's answers
/// to its pings, which it sends every half tick and which name the sessions that were used since
/// the last one. A write that the follower forwards does not count. So what proves that the leader
/// heard of a request is an order of messages, all on one connection:
///
///   touch      a request, answered: the follower has noted the session. A note may be lost where
///              it coincides with a ping, so a second request, sent after the answer, follows it;
///   carried    a write sent one tick or more after that answer, and committed: before the leader
///              committed it, it has sent a ping on the same channel, so that the follower has
///              answered the ping before it handed on this answer;
///   received   a write sent after that answer, and committed: the leader has read the follower's
///              answer to the ping before it read this write.
///
/// From then on the session cannot end earlier than one session timeout after the touch was sent.
/// doc/validity.md has the argument step by step.
///
/// Invariant: `until()` only moves back where a reconnect lowers the session timeout.
class session_validity {
 public:
  using time_point = boot_clock::time_point;
  using milliseconds = std::chrono::milliseconds;

  /// `tick` must not be shorter than the servers' tickTime.
  explicit session_validity(milliseconds tick) : tick_(tick) { chains_.reserve(most_chains); }

  /// The servers accepted a connect request that was sent at that time. The leader itself notes the
  /// session then. A new session is a transaction; an old one may be accepted by a leader that was
  /// deposed, which a committed write tells.
  void connected(time_point sent, time_point now, milliseconds timeout, bool is_new) {
    timeout_ = timeout;
    if (is_new)
      until_ = sent + timeout;
    else
      chains_.push_back({.touched = sent, .answered = now, .reached = stage::carried});
    until_ = std::min(until_, sent + timeout);
  }

  /// What is proven stays proven; what was begun is void, since another server may answer next.
  void disconnected() noexcept { chains_.clear(); }

  void expired() noexcept {
    chains_.clear();
    until_ = time_point::min();
  }

  /// A request that was sent at that time is answered; `committed`: by a transaction of the quorum.
  void answered(time_point sent, time_point now, bool committed) {
    auto proven = time_point::min();
    for (auto& each : chains_) {
      if (sent < each.useful_from(tick_) || (each.reached != stage::touched && !committed))
        continue;
      if (each.reached == stage::carried) proven = std::max(proven, each.touched);
      each.reached = after(each.reached);
      each.answered = now;
    }
    if (proven != time_point::min()) until_ = std::max(until_, proven + timeout_);
    drop_outdone(proven, now);
    if (chains_.size() == most_chains) return;
    if (chains_.empty() || sent >= chains_.back().touched + tick_ / chains_a_tick)
      chains_.push_back({.touched = sent, .answered = now, .reached = stage::touched});
  }

  time_point until() const noexcept { return until_; }

  /// The earliest time at which a write can prove more than is proven.
  time_point useful_from(time_point now) const noexcept {
    auto earliest = time_point::max();
    for (const auto& each : chains_)
      if (each.touched + timeout_ > now) earliest = std::min(earliest, each.useful_from(tick_));
    return earliest == time_point::max() ? now : std::max(earliest, now);
  }

 private:
  enum class stage { touched, touched_twice, carried, received };

  /// Answers that follow one another.
  struct chain {
    time_point touched;
    time_point answered;
    stage reached;

    /// When a request must be sent at the earliest to be the next one.
    time_point useful_from(milliseconds tick) const noexcept {
      return reached == stage::touched_twice ? answered + tick : answered;
    }
  };

  static constexpr stage after(stage reached) noexcept {
    return static_cast<stage>(static_cast<int>(reached) + 1);
  }

  // Of the chains that any write from now on continues, the newest proves most.
  void drop_outdone(time_point proven, time_point now) {
    const auto is_ready = [&](const chain& each) {
      return each.reached == stage::touched_twice && each.useful_from(tick_) <= now;
    };
    auto newest = time_point::min();
    for (const auto& each : chains_)
      if (is_ready(each)) newest = each.touched;
    std::erase_if(chains_, [&](const chain& each) {
      return each.touched <= proven || each.touched + timeout_ <= now ||
             (is_ready(each) && each.touched != newest);
    });
  }

  // How many chains are begun in a tick: how closely `until()` follows.
  static constexpr int chains_a_tick = 8;
  // Far more than are begun until the oldest is proven or outdone.
  static constexpr std::size_t most_chains = 128;

  const milliseconds tick_;
  milliseconds timeout_{0};
  time_point until_ = time_point::min();
  // The oldest first.
  std::vector<chain> chains_;
};

} // namespace zklock::zookeeper

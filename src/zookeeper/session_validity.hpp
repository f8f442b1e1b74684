#pragma once

#include <zklock/clock.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <vector>

namespace zklock::zookeeper {

/// Computes the time before which the servers cannot have expired the session. It holds in every
/// partition and with paused or slow processes.
///
/// Only the leader expires sessions. It learns of a follower's sessions only by the replies to its
/// pings, which it sends every half tick. Each reply names the sessions used since the reply
/// before. A forwarded write does not count. So the proof is a sequence of requests on a
/// connection:
///
///   touch      A request with its reply: the follower has recorded the session. A simultaneous
///              ping can lose the record, so a second request follows after the reply.
///   carried    A write sent a tick or more after that reply, and committed. The leader has sent a
///              ping before the commit, on the channel of the commit. So the follower has replied
///              to the ping before it passed on this reply.
///   received   A write sent after that reply, and committed: the leader has read the reply to the
///              ping before it read this write.
///
/// Then the session cannot expire before a session timeout has passed since the touch was sent.
/// doc/internals/validity.md has the argument step by step.
///
/// Invariant: `until()` only moves back where a reconnect lowers the session timeout.
class session_validity {
 public:
  using time_point = boot_clock::time_point;
  using milliseconds = std::chrono::milliseconds;

  /// `tick` must not be shorter than the servers' tickTime.
  explicit session_validity(milliseconds tick) : tick_(tick) { chains_.reserve(most_chains); }

  /// The servers accepted a connect request that was sent at that time, and the leader has recorded
  /// the session. A new session is a transaction. A deposed leader may accept an old session, so an
  /// old session needs a committed write.
  void connected(time_point sent, time_point now, milliseconds timeout, bool is_new) {
    timeout_ = timeout;
    if (is_new)
      until_ = sent + timeout;
    else
      chains_.push_back({.touched = sent, .answered = now, .reached = stage::carried});
    until_ = std::min(until_, sent + timeout);
  }

  /// Keeps `until()`, and drops the incomplete chains: another server may reply next.
  void disconnected() noexcept { chains_.clear(); }

  void expired() noexcept {
    chains_.clear();
    until_ = time_point::min();
  }

  /// The request that was sent at that time has its reply. `committed`: the reply is the reply of a
  /// committed transaction.
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

  /// The earliest time at which a write can extend `until()`.
  time_point useful_from(time_point now) const noexcept {
    auto earliest = time_point::max();
    for (const auto& each : chains_)
      if (each.touched + timeout_ > now) earliest = std::min(earliest, each.useful_from(tick_));
    return earliest == time_point::max() ? now : std::max(earliest, now);
  }

 private:
  enum class stage { touched, touched_twice, carried, received };

  /// A sequence of replies that proves the session once it is complete.
  struct chain {
    time_point touched;
    time_point answered;
    stage reached;

    /// The earliest time at which the next request of the chain may be sent.
    time_point useful_from(milliseconds tick) const noexcept {
      return reached == stage::touched_twice ? answered + tick : answered;
    }
  };

  static constexpr stage after(stage reached) noexcept {
    return static_cast<stage>(static_cast<int>(reached) + 1);
  }

  // Of the chains that the next write continues, only the newest is needed: it proves most.
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

  // The chains started in a tick. More chains make `until()` follow more closely.
  static constexpr int chains_a_tick = 8;
  // Far more than the number started before the oldest chain is complete or dropped.
  static constexpr std::size_t most_chains = 128;

  const milliseconds tick_;
  milliseconds timeout_{0};
  time_point until_ = time_point::min();
  // Sorted from the oldest to the newest.
  std::vector<chain> chains_;
};

} // namespace zklock::zookeeper

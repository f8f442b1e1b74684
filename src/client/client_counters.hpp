#pragma once

#include <zklock/stats.hpp>

#include "client/counters.hpp"
#include "client/lock_counters.hpp"

#include <atomic>
#include <functional>
#include <map>
#include <string>

namespace zklock::detail {

/// What a client counts, in groups of locks with the same label. Changed on the client's strand
/// only, read by any thread without waiting.
///
/// Invariant: a group stays where it is until the client is destroyed, and each group that
/// `newest_` leads to is complete.
class client_counters {
 public:
  /// The group of the locks without a label, and of acquires that have not reached a lock.
  lock_counters& unlabelled() noexcept { return unlabelled_; }

  /// The group of a label, which may be empty.
  lock_counters& labelled(const std::string& label);

  event_counter broken;
  event_counter requests;
  event_counter reconnects;
  event_counter session_expiries;
  event_counter data_rollbacks;

  /// Adds up all that is counted. Any thread.
  stats snapshot() const;

 private:
  struct group {
    lock_counters counters;
    const std::string* label = nullptr;
    const group* before = nullptr;
  };

  lock_counters unlabelled_;
  // Of the strand. Other threads read the list of its elements, from the newest on.
  std::map<std::string, group, std::less<>> groups_;
  std::atomic<const group*> newest_{nullptr};
};

} // namespace zklock::detail

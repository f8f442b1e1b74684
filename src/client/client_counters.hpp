#pragma once

#include <zklock/stats.hpp>

#include "client/counters.hpp"
#include "client/lock_counters.hpp"

#include <atomic>
#include <functional>
#include <list>
#include <map>
#include <string>

namespace zklock::detail {

/// The counters of a client, with the locks grouped by label. Changed on the client's strand only,
/// read by any thread without waiting. Invariant: a group stays where it is until the client is
/// destroyed, and each group that `newest_` leads to is complete.
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

  /// The TLS of the newest connection.
  void set_tls(const tls_stats& newest);

  /// Returns the counters of each group, and their totals. Any thread.
  stats snapshot() const;

 private:
  struct group {
    lock_counters counters;
    const std::string* label = nullptr;
    const group* before = nullptr;
  };

  lock_counters unlabelled_;
  // Used on the strand only. Other threads read the groups as a list, from `newest_` on.
  std::map<std::string, group, std::less<>> groups_;
  std::atomic<const group*> newest_{nullptr};
  // Used on the strand only. Each differs, so there are few: servers and certificates.
  std::list<tls_stats> tls_;
  std::atomic<const tls_stats*> newest_tls_{nullptr};
};

} // namespace zklock::detail

#pragma once

#include "process.hpp"
#include "transaction.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <set>

namespace deterministic::servers {

/// The leader's table of sessions: `SessionTrackerImpl` and `ExpiryQueue`.
///
/// Invariant: a session expires at the end of a tick, never before its timeout after its last
/// touch.
class session_tracker {
 public:
  /// Identifies the connection of a follower; 0 is the leader itself.
  using owner = std::uint64_t;

  session_tracker(process& on, std::chrono::milliseconds tick, time_point phase,
                  std::function<void(session_id)> expire)
      : process_(on), tick_(tick), phase_(phase), expire_(std::move(expire)) {}
  ~session_tracker();

  /// Begins to track a session, or touches it.
  void track(session_id session, std::int32_t timeout);
  /// Returns false for a session that is not known or is being closed.
  bool touch(session_id session, std::int32_t timeout);
  void set_closing(session_id session);
  void set_owner(session_id session, owner by);
  void remove(session_id session);

  /// Returns whether the owner may send requests of the session: ok, `session_expired` or
  /// `session_moved`.
  memory::code check(session_id session, owner by);

 private:
  struct entry {
    time_point bucket{};
    bool closing = false;
    bool owned = false;
    owner by = 0;
  };

  time_point bucket_of(time_point when) const;
  void move(session_id session, entry& of, time_point bucket);
  void arm();
  void expire_due();

  process& process_;
  const time_point tick_;
  /// The phase of the process's clock.
  const time_point phase_;
  std::function<void(session_id)> expire_;
  std::map<session_id, entry> sessions_;
  std::map<time_point, std::set<session_id>> buckets_;
  process::timer timer_ = 0;
  time_point armed_for_ = time_point::max();
};

} // namespace deterministic::servers

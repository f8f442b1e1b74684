#pragma once

#include "clockwork.hpp"
#include "simulation/dice.hpp"
#include "zookeeper/session_validity.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <string>
#include <vector>

namespace validity {

/// The events that all histories together covered.
struct totals {
  std::uint64_t histories = 0;
  std::uint64_t ends = 0;
  std::uint64_t ends_while_proven_lately = 0;
  std::uint64_t proofs = 0;
  std::uint64_t reconnects = 0;
  std::uint64_t lost_notes = 0;
  duration least_margin = duration::max();
};

/// A session of a client, from its creation until the leader ends it. The client runs the
/// library's own `session_validity`; the servers are a model of the bookkeeping of ZooKeeper 3.8
/// (Leader.lead, LearnerHandler.run, Learner.ping, LearnerSessionTracker, SessionTrackerImpl,
/// ExpiryQueue). All delays are arbitrary, except that the leader pings at least once a tick.
class history {
 public:
  history(std::uint64_t seed, totals& totals);

  /// Returns the fault; empty where there is none.
  std::string run();

 private:
  /// The server that the client is connected to, for the time of this connection.
  struct server {
    explicit server(clockwork& clock)
        : to_client(clock), from_client(clock), to_leader(clock), from_leader(clock) {}

    channel to_client;
    channel from_client;
    channel to_leader;
    channel from_leader;
    /// The leader itself; it reaches a quorum as long as `to_leader` is not cut.
    bool leads = false;
    /// `LearnerSessionTracker.touchTable`: whether the session is in it, and the table's number.
    bool noted = false;
    int table = 0;
    bool lost_a_note = false;
    /// Requests that were received and not answered: each waits for its predecessor.
    std::vector<std::function<void()>> waiting;
    bool busy = false;
  };

  duration delay();
  duration pause();

  // The client.
  void connect(bool is_new, bool deposed);
  void connected(server* at, time_point sent, bool is_new);
  void act();
  void request(bool writes);
  void answered(time_point sent, bool committed);
  void pairs(int left, bool writes);

  // The server of the client.
  void received(server* by, std::function<void()> process);
  void take_next(server* by);
  void pinged(server* by);

  // The leader.
  void lead();
  void touched();
  void wait_for_end();
  void commit(server* from, std::function<void()> answer);
  void cut();
  void check();

  simulation::dice dice_;
  totals& totals_;
  clockwork clock_;
  const std::chrono::milliseconds tick_;
  const std::chrono::milliseconds timeout_;
  zklock::zookeeper::session_validity validity_;
  time_point end_of_history_;

  std::size_t proofs_until_cut_ = 0;
  // All that the client was connected to: their messages may be on their way. The newest is its
  // own.
  std::list<server> servers_;
  server* server_ = nullptr;
  std::function<void()> next_;
  time_point last_sent_{};
  channel commits_{clock_};
  time_point expires_{};
  bool ended_ = false;
  time_point ended_at_{};
  std::string fault_;
};

} // namespace validity

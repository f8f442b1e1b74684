#pragma once

#include "database.hpp"
#include "transaction.hpp"

#include <cstdint>
#include <memory>
#include <utility>
#include <variant>
#include <vector>

namespace deterministic::servers {

// The packets between a leader and a follower (org.apache.zookeeper.server.quorum.Leader), under
// their names there.

struct follower_info {
  std::int64_t accepted_epoch = 0;
};
struct leader_info {
  std::int64_t epoch = 0;
};
struct ack_epoch {
  /// -1: the follower had accepted the epoch before.
  std::int64_t current_epoch = 0;
  zxid last = 0;
};
/// DIFF, TRUNC and SNAP together: the committed entries that follow `after` in the leader's log.
/// With a snapshot, the entries that follow the snapshot.
struct history {
  zxid after = 0;
  /// Later proposals are not committed yet.
  zxid committed = 0;
  std::vector<entry> entries{};
  std::shared_ptr<const database> snapshot{};
};
struct new_leader {
  std::int64_t epoch = 0;
};
struct ack_new_leader {};
struct up_to_date {};

struct proposal {
  entry what{};
};
struct ack {
  zxid id = 0;
};
struct commit {
  zxid id = 0;
};
struct ping {};
/// A follower's reply to a ping: its table of the sessions that it has heard of.
struct pong {
  std::vector<std::pair<session_id, std::int32_t>> touched{};
};
struct forward {
  write what{};
};
struct sync {
  std::uint64_t number = 0;
};
struct revalidate {
  session_id session = 0;
  std::int32_t timeout = 0;
  /// The reply's only.
  bool valid = false;
};

using message =
    std::variant<follower_info, leader_info, ack_epoch, history, new_leader, ack_new_leader,
                 up_to_date, proposal, ack, commit, ping, pong, forward, sync, revalidate>;

} // namespace deterministic::servers

#pragma once

#include "connection.hpp"
#include "dice.hpp"
#include "failure.hpp"
#include "statistics.hpp"
#include "tree.hpp"

#include <array>
#include <cstddef>
#include <deque>
#include <map>
#include <set>
#include <vector>

namespace simulation {

/// A watch that has not fired.
struct watcher {
  connection* by;
  std::size_t directory;
  /// The directory itself if it says nothing.
  node_id node;

  friend bool operator==(const watcher&, const watcher&) = default;
};

/// A server.
struct replica {
  simulation::tree tree;
  /// How much of the log is in the tree.
  std::size_t applied = 0;
  std::vector<watcher> watches = {};
  /// Whether it is a deposed leader that has not noticed yet: it answers reads and syncs from its
  /// tree, receives nothing new, and commits nothing.
  bool deposed = false;
};

/// A model of ZooKeeper: a leader with a log, and servers that have applied a part of it. A client
/// is connected to a single server. A read shows the transactions that the server has applied, and
/// waits for the client's earlier writes of this connection; the leader commits the client's writes
/// in order.
///
/// Nothing happens by itself: each possible event is a function here, and the history calls them as
/// the seed chooses.
class ensemble {
 public:
  /// Server 0 is the leader and never lags.
  ensemble(std::size_t servers, std::size_t directories, std::size_t parents, dice& dice,
           statistics& statistics, const trace& trace);

  ensemble(const ensemble&) = delete;
  ensemble& operator=(const ensemble&) = delete;

  // Connections and sessions.

  connection& make_connection() { return connections_.emplace_back(); }
  session_id start_session();
  bool lives(session_id session) const noexcept { return live_.contains(session); }
  void end_session(session_id session);

  /// Connects a session that lives. From now on the leader refuses pending requests of the
  /// session's last connection.
  void attach(connection& connection, session_id session, std::size_t server);

  /// Lets the pending requests of a lost connection be carried out later: a follower is slow to
  /// reach the leader.
  void leave_late(connection& connection);

  /// Carries out the pending requests of an earlier connection of the session. The leader then
  /// takes the earlier connection for the newer one. Returns whether any request was pending.
  bool carry_out_late(session_id session);

  /// Requests under way may still arrive. Replies do not, except some that were sent first.
  void cut(connection& connection);

  // The possible events. Each returns whether there was anything to do.

  /// A server takes the next request from a connection.
  bool take(connection& connection);

  /// A server applies the next transaction of the log.
  bool apply(std::size_t server);

  /// A server, but not the first, is a deposed leader from now on.
  void depose(std::size_t server);

  /// It is a follower again, and has closed all its connections.
  void rejoin(std::size_t server);

  bool is_deposed(std::size_t server) const noexcept { return servers_[server].deposed; }

  // Events of programs other than the lock's clients.

  bool reap(std::size_t directory);
  bool reap_parent();

  /// Creates a directory that was reaped, and so many entries, of which only the last is left.
  void make_anew(std::size_t directory, std::int64_t entries, session_id session);
  void delete_by_hand(node_id node);
  void set_data(std::size_t directory, node_id node);
  void litter(std::size_t directory);
  /// Removes some of the litter. Returns whether there was any.
  bool clean_up(std::size_t directory);

  void set_limit(std::size_t directory, std::uint32_t limit);

  /// From now on requests are answered like this.
  void deny(std::size_t directory, permission what, status result);

  /// From now on so many of a hundred deletes are refused.
  void throttle(std::size_t percent) noexcept { throttled_percent_ = percent; }

  /// From now on so many of a hundred writes that may be combined are undone.
  void undo(std::size_t percent) noexcept { undone_percent_ = percent; }

  /// From now on so many of a hundred lost connections leave requests.
  void delay(std::size_t percent) noexcept { late_percent_ = percent; }

  /// The directory is there from the start, and has had children.
  void found(std::size_t directory, std::int64_t children_ever);

  /// There is a limit from the start.
  void start_with_limit(std::size_t directory, std::uint32_t limit);

  // The leader's state.

  const tree& truth() const noexcept { return servers_.front().tree; }
  const node& at(node_id id) const noexcept { return nodes_[id]; }
  /// How many transactions there were, and how many when the directory last had an entry in it.
  std::size_t now() const noexcept { return log_.size(); }
  std::size_t last_occupied(std::size_t directory) const noexcept { return occupied_[directory]; }
  node_id find_created(std::int64_t czxid) const noexcept;
  /// The node now: a writer's may have been replaced by a reader's.
  node_id heir_of(node_id id) const noexcept;
  std::size_t servers() const noexcept { return servers_.size(); }
  std::deque<connection>& connections() noexcept { return connections_; }
  const std::vector<node_id>& deleted_by_hand() const noexcept { return deleted_by_hand_; }

  /// The entry takes permits: before its turn, in a directory that its client does not know, or
  /// not.
  void note_misled(session_id owner, entry_id entry, bool is) {
    misled_.erase({owner, entry});
    if (is) misled_.emplace(owner, entry);
  }
  bool is_misled(session_id owner, entry_id entry) const {
    return misled_.contains({owner, entry});
  }

  /// The watches that the leader keeps.
  const std::vector<watcher>& watches() const noexcept { return servers_.front().watches; }

  /// Whether this client watches a directory.
  bool watches_directory(const connection& connection, std::size_t directory) const noexcept;

  /// Fails if a watch is on a node that does not exist.
  void check_watches() const;

 private:
  std::size_t append(const change& change);
  reply execute(const request& request, session_id session, std::size_t& transaction);
  node_id add_entry(const std::string& prefix, std::size_t directory, session_id owner);
  node_id add_reader(const std::string& name, node_id writer);
  node_id add_permit(const part& permit, const request& request, session_id owner);
  void examine(reply& outcome) const;
  void transact(reply& outcome, change& change);
  void decide(reply& outcome, change& change);
  reply read(connection& connection, request request);
  void apply_next(replica& replica, std::size_t index);
  void settle(connection& connection);
  status permits(const request& request) const noexcept;
  status permits(const part& part) const noexcept;
  static void set(replica& replica, const watcher& watch);
  void drop_watches(connection& connection);

  dice& dice_;
  statistics& statistics_;
  const trace& trace_;
  std::deque<node> nodes_;
  std::vector<change> log_;
  std::deque<replica> servers_;
  std::deque<connection> connections_;
  std::set<session_id> live_;
  std::multimap<session_id, std::deque<request>> late_;
  session_id last_session_ = 0;
  std::vector<node_id> deleted_by_hand_;
  std::set<std::pair<session_id, entry_id>> misled_;
  std::vector<std::array<status, 3>> denials_;
  std::size_t throttled_percent_ = 0;
  std::size_t undone_percent_ = 0;
  std::size_t late_percent_ = 0;
  std::vector<std::size_t> occupied_;
  std::vector<touched> touched_;
};

} // namespace simulation

#pragma once

#include "deterministic/service.hpp"
#include "options.hpp"
#include "replica.hpp"
#include "truth.hpp"

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace deterministic::servers {

/// A ZooKeeper ensemble of three replicas on the simulated clock. Its behaviour depends only on the
/// seed, on the calls and on the frames that arrive.
///
/// The faults begin when the event loop runs next. They may be caused from the observer's
/// functions.
class ensemble {
 public:
  ensemble(event_loop& loop, std::uint64_t seed, const ensemble_options& options, observer by);

  /// Accepts the clients of a replica. Returns no program after `crash`.
  listener& at(int replica) { return *replicas_[index(replica)]; }

  /// Returns the replica that leads, with the newest epoch; -1 without a leader. A deposed leader
  /// is returned until another replica leads.
  int leader() const;
  role state(int replica) const { return replicas_[index(replica)]->state(); }
  bool is_paused(int replica) const { return processes_[index(replica)]->is_paused(); }

  /// Kills the process. Its log survives, except for a part that was not flushed.
  void crash(int replica);
  /// Kills the process without a word to clients and replicas: connections end when they are silent
  /// for too long, or when the replica starts again.
  void lose_power(int replica);
  void restart(int replica);
  /// Copies the committed data, as a backup does.
  void back_up() { backup_.emplace(truth_.newest()); }
  /// The data that `back_up` has copied.
  const std::optional<database>& backup() const noexcept { return backup_; }
  /// Crashes all replicas, and gives them the data of the backup. Then runs the function.
  void restore(std::function<void()> done);
  /// Stops the process for that long. Bytes and timers wait.
  void pause(int replica, std::chrono::nanoseconds time);
  /// Cuts the network in that direction. Connections end when they are silent for too long.
  void cut(int from, int to);
  void cut_both_ways(int one, int other);
  /// Cuts a replica off from all other replicas.
  void isolate(int replica);
  void heal(int from, int to);
  /// The replica's network, disk and clients' requests take up to that long.
  void slow(int replica, std::chrono::nanoseconds most);
  /// Spoils that part of the frames that the replica sends to clients.
  void garble(int replica, garbage how, std::size_t percent);
  /// Answers requests with an error, without carrying them out.
  void refuse(int replica, const refusal& what);
  /// All replicas end the connections that have no credential, each at its next request.
  void demand_authentication(bool demands);
  /// A replica goes on showing the nodes of the next session that ends.
  void keep_nodes(int replica) { replicas_[index(replica)]->kept().keep_nodes(); }
  /// A replica goes on showing the ephemeral nodes, or the container, that the next delete removes,
  /// or only sends no event of the delete.
  void miss_delete(int replica, bool only_events) {
    replicas_[index(replica)]->kept().miss_delete(only_events);
  }
  /// Ends both. Returns whether it has missed any event.
  bool forget_kept(int replica) { return replicas_[index(replica)]->kept().clear(); }
  bool keeps(std::string_view path) const;
  /// Has a write ordered that belongs to no session, as by an operator with all permissions. It is
  /// lost if no replica leads, or the leader is deposed soon.
  void propose(memory::write_request what);
  /// Ends all faults: crashed replicas start, paused replicas continue.
  void heal_all();

  /// The tree and the sessions after the newest committed transaction.
  const database& newest() const noexcept { return truth_.newest(); }
  /// The data that the replica has applied.
  const database& data(int replica) const { return replicas_[index(replica)]->data(); }
  /// The paths that have watches at a replica.
  std::vector<std::string> watched(int replica) const;
  /// The number of connections of a replica.
  std::size_t connections(int replica) const;

 private:
  static std::size_t index(int replica) { return static_cast<std::size_t>(replica); }
  void soon(std::function<void()> what) { loop_.at(loop_.now(), std::move(what)); }
  void trace(int replica, const std::string& what) const;

  event_loop& loop_;
  simulation::dice dice_;
  const ensemble_options options_;
  truth truth_;
  std::optional<database> backup_;
  std::array<std::unique_ptr<process>, replicas> processes_;
  std::array<std::uint64_t, replicas> pauses_{};
  peer_network network_;
  std::array<std::unique_ptr<replica>, replicas> replicas_;
};

} // namespace deterministic::servers

#pragma once

#include "database.hpp"
#include "transaction_log.hpp"

#include <chrono>
#include <deque>
#include <functional>
#include <string>

namespace deterministic::servers {

/// The events of the servers that a referee of a history sees. All functions are optional.
struct observer {
  /// A transaction has been committed, with its outcome. Called once for each, in the order of
  /// zxids.
  std::function<void(const transaction&, const memory::outcome&)> committed{};
  /// A replica leads from now on; a deposed leader does not know it yet.
  std::function<void(int leader)> leads{};
  /// A client has ended a connection on which a replica had replied rightly and in time, and whose
  /// network had no fault.
  std::function<void(int replica, session_id, time_point at)> left{};
  /// A client has connected.
  std::function<void(session_id, std::chrono::milliseconds timeout)> connected{};
  /// A replica has refused a request in a way that makes the client give up the connection, and
  /// wait before it asks any server again.
  std::function<void(session_id)> turned_away{};
  /// The model itself has broken a promise of ZooKeeper.
  std::function<void(const std::string&)> fault{};
  /// A line for each event of interest.
  std::function<void(const std::string&)> trace{};
};

/// The history of all committed transactions. It checks each commit of each replica against it.
class truth {
 public:
  truth(const ensemble_options& options, observer by)
      : observer_(std::move(by)), database_(options) {}

  /// The tree after the newest committed transaction.
  const database& newest() const noexcept { return database_; }

  /// A leader has counted a quorum for the transaction.
  void committed(const entry& what);
  /// A quorum has accepted the log of a new leader.
  void established(int leader, std::int64_t epoch, const transaction_log& log);
  /// All replicas have come back with `data`.
  void restore(const database& data);
  /// A replica applies the transaction.
  void check(int replica, const transaction& what) const;

  void left(int replica, session_id session, time_point at) const {
    if (observer_.left) observer_.left(replica, session, at);
  }
  void connected(session_id session, std::chrono::milliseconds timeout) const {
    if (observer_.connected) observer_.connected(session, timeout);
  }
  void turned_away(session_id session) const {
    if (observer_.turned_away) observer_.turned_away(session);
  }
  void fault(const std::string& what) const {
    if (observer_.fault) observer_.fault(what);
  }
  bool is_traced() const noexcept { return static_cast<bool>(observer_.trace); }
  void trace(const std::string& what) const {
    if (observer_.trace) observer_.trace(what);
  }

 private:
  observer observer_;
  database database_;
  /// The newest entries, by which `check` recognizes a wrong transaction.
  std::deque<entry> recent_;
};

} // namespace deterministic::servers

#pragma once

#include <zklock/found_lock.hpp>

#include <map>
#include <set>
#include <string>
#include <vector>

namespace zklock::cli {

/// What tells one client from another.
enum class client_key { identity, session };

/// Which clients wait for which others, across locks. A waiter waits for the holders of its lock:
/// for all of them, or for any of the holders of permits. The waiters ahead of it wait for the
/// same. A run of `zklock run` also waits for everything that the runs inside it wait for.
///
/// The search for cycles is short and names the way round. Boost.Graph's
/// `strongly_connected_components` finds sets without it, and knows no nodes that wait for any of
/// several.
class wait_graph {
 public:
  /// One step of a cycle: a waiter, and a holder of the lock that it waits for.
  struct link {
    std::string waiter;
    std::string waiter_node;
    std::string path;
    std::string holder;
    std::string holder_node;
  };
  using cycle = std::vector<link>;

  wait_graph(const std::vector<found_lock>& locks, client_key key);

  /// Leaves only what was the same in an earlier graph. Nodes that both show existed in between
  /// all together, although each search takes its time.
  void keep_common(const wait_graph& earlier);

  /// Returns the cycles, the shortest one through each client that is in one. A client is left out
  /// if another client that can go on may end its wait.
  std::vector<cycle> find_cycles() const;

 private:
  struct wait {
    std::string path;
    std::string node;
    bool for_any = false;
    /// The clients by the nodes by which they hold the lock.
    std::map<std::string, std::string> holders{};
  };
  using stuck_clients = std::set<std::string>;

  stuck_clients find_stuck() const;
  cycle shortest_from(const std::string& client, const stuck_clients& stuck) const;

  // By the client that waits.
  std::multimap<std::string, wait> waits_;
};

} // namespace zklock::cli

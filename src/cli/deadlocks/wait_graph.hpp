#pragma once

#include <zklock/found_lock.hpp>

#include <map>
#include <set>
#include <string>
#include <vector>

namespace zklock::cli {

/// The property by which clients are told apart.
enum class client_key { identity, session };

/// A graph of clients that wait for other clients, across locks. A waiter waits for the holders of
/// its lock: for all holders, or for any holder of permits. The waiters ahead of a waiter wait for
/// the same holders. A run of `zklock run` also waits for every lock that a nested run waits for.
///
/// The search for cycles is short and names the way round. Boost.Graph's
/// `strongly_connected_components` finds sets without it, and knows no nodes that wait for any of
/// several.
class wait_graph {
 public:
  /// A step of a cycle: a waiter, and a holder of the lock that the waiter waits for.
  struct link {
    std::string waiter;
    std::string waiter_node;
    std::string path;
    std::string holder;
    std::string holder_node;
  };
  using cycle = std::vector<link>;

  wait_graph(const std::vector<found_lock>& locks, client_key key);

  /// Keeps only the waiters and holders that an earlier graph has too. Nodes that both graphs have
  /// existed at the same time in between, although no search reads all nodes at once.
  void keep_common(const wait_graph& earlier);

  /// Returns the shortest cycle through each client that is in a cycle. A client is left out if
  /// another client that can go on may end its wait.
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

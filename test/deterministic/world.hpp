#pragma once

#include "foreign_waiters.hpp"
#include "plan.hpp"
#include "referee.hpp"
#include "service.hpp"
#include "statistics.hpp"
#include "trace.hpp"

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <list>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace deterministic {

class host;

/// What no history draws.
struct setting {
  /// Whether clients and servers speak TLS, a fake in place of OpenSSL.
  bool speaks_tls = false;
  /// Whether each client has a strand for an executor.
  bool has_strands = false;
};

/// The objects and functions that the parts of a history share.
struct world {
  world(std::uint64_t seed, bool printed, const setting& of)
      : random(seed), design(random), fixed(of), tell(printed) {}
  world(const world&) = delete;
  world& operator=(const world&) = delete;

  event_loop& clock() const noexcept { return *loop; }

  /// Remembers the first rule that was broken; the history ends with it.
  void violated(const std::string& what) {
    if (violation.empty()) violation = what;
  }

  dice random;
  plan design;
  const setting fixed;
  trace tell;
  deterministic::statistics statistics;
  deterministic::referee referee{tell, statistics,
                                 [this](const std::string& what) { violated(what); }};
  deterministic::foreign_waiters foreign_waiters{
      design, [this](const std::string& what) { violated(what); }};
  event_loop* loop = nullptr;
  /// The data of a node; nothing if the servers do not have the node.
  std::function<std::optional<std::string>(std::string_view)> data_of{};
  /// Whether the servers have a node, or nodes of a session.
  std::function<bool(std::string_view)> has_node{};
  std::function<bool(std::int64_t)> has_nodes_of{};
  /// Whether a single server has a node that no other server has.
  std::function<bool(std::string_view)> is_kept{};
  /// Whether a client that was not closed has the session.
  std::function<bool(std::int64_t)> uses_session{};
  /// Whether, moreover, nothing had kept its process up for a session timeout at that time.
  std::function<bool(std::int64_t, time_point)> attends_session{};
  /// Clients that are made from now on need a credential.
  bool needs_credentials = false;
  /// A server has garbled frames, and may have told of no event.
  bool servers_garble = false;
  /// The list of servers, as clients are told it.
  std::string servers;
  /// Since when the directory of all locks exists; nothing while it does not.
  std::optional<time_point> root_since{};
  /// The faults have ended, and programs come to their end.
  bool healed = false;
  std::vector<host*> hosts{};
  /// How many handlers take long at the moment: each delays all handlers that began before it.
  std::size_t stalls = 0;
  /// How many tries are under way.
  std::size_t tries = 0;
  /// The present waits of all programs.
  std::list<std::string> waits{};
  /// The directories in which a child was made by hand with a number below the numbers of the
  /// servers.
  std::set<std::string, std::less<>> numbered_by_hand{};
  std::string violation{};
};

} // namespace deterministic

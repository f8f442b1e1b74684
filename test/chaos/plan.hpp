#pragma once

#include <zklock/testing/server_options.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

namespace chaos {

enum class fault_kind {
  kill_server,
  restart_server,
  pause_server,
  cut_from_peers,
  cut_from_clients,
  cut_link,
  slow_server,
  fill_disk,
  lose_quorum,
  kill_in_turns,
  restore_data,
  demand_authentication,
  pause_client,
  kill_client,
  cut_client,
  slow_client,
  change_servers,
  block_loop,
  expire_session,
  delete_node,
};

inline constexpr std::size_t fault_kinds = 20;

/// Returns a name for people: `pause a server`.
const char* name_of(fault_kind kind);

/// Returns the kind that has a name; nothing if no kind has it.
std::optional<fault_kind> kind_named(std::string_view name);

inline bool is_of_servers(fault_kind kind) {
  return kind <= fault_kind::demand_authentication;
}

inline bool is_of_client(fault_kind kind) {
  return kind >= fault_kind::pause_client && kind <= fault_kind::block_loop;
}

/// A fault of the plan.
struct fault {
  fault_kind kind = fault_kind::kill_server;
  /// From the start of the run.
  std::chrono::milliseconds begin{0};
  std::chrono::milliseconds length{0};
  /// Whether a fault of servers meets the present leader.
  bool leads = false;
  /// The client process, or a number that selects a server, a session or a znode.
  std::uint32_t which = 0;
  zklock::testing::cut how = zklock::testing::cut::silent;
  std::chrono::milliseconds delay{0};
};

/// The faults of a thread of the nemesis, in their order.
using track = std::vector<fault>;

/// Makes the plan of a run. It depends on its arguments only. All kinds of faults occur, once each,
/// before any occurs again. The tracks are: servers, client processes with even and with odd
/// numbers, and sessions and znodes. If `only` is not empty, it has the kinds that occur.
std::array<track, 4> make_plan(std::uint64_t seed, std::chrono::milliseconds length,
                               std::size_t clients, const std::set<fault_kind>& only = {});

} // namespace chaos

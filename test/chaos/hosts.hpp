#pragma once

#include <zklock/testing/server_options.hpp>

#include "testing/child_process.hpp"

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

namespace chaos {

/// Hosts in network namespaces of their own, at a bridge in the namespace of this process: servers
/// first, then clients. All of it goes with the processes.
///
/// Needs the programs ip, tc, iptables, nsenter and unshare.
class hosts {
 public:
  hosts(std::size_t servers, std::size_t clients);

  /// Returns whether the system permits all that is needed.
  static bool are_permitted();

  /// Returns the address of a host: `10.77.0.1`.
  std::string address(std::size_t host) const;

  /// Returns the command that runs another command in a host.
  std::vector<std::string> command_in(std::size_t host, std::vector<std::string> command) const;

  /// Cuts a host off other hosts, which are given as an address or a network.
  void cut(std::size_t host, const std::string& others, zklock::testing::cut how) const;

  /// Delays the packets of a host. A kernel without netem limits its rate instead: packets wait for
  /// about as long while the host is busy, and packets that would wait for longer are dropped.
  void slow_down(std::size_t host, std::chrono::milliseconds delay) const;

  /// Ends all cuts and limits of a host.
  void heal(std::size_t host) const;

  static constexpr const char* all_servers = "10.77.0.0/24";
  static constexpr const char* all_clients = "10.77.1.0/24";
  static constexpr const char* everything = "0.0.0.0/0";

 private:
  void add(std::size_t host);
  void run_in(std::size_t host, const std::string& script) const;

  const std::size_t servers_;
  /// Each keeps a namespace alive.
  std::vector<zklock::testing::child_process> keepers_;
};

} // namespace chaos

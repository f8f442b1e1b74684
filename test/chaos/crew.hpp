#pragma once

#include "chaos/cluster.hpp"
#include "testing/child_process.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace chaos {

/// A run of a client process: from its start to its end or kill.
struct incarnation {
  std::string name;
  std::size_t client = 0;
  bool kazoo = false;
  bool killed = false;
  /// Whether kazoo has failed in it, and it has ended by that. It then counts as killed.
  bool kazoo_failed = false;
  std::filesystem::path log;
  /// Each as its number and its kind.
  std::vector<std::string> descriptors_at_start;
  std::vector<std::string> descriptors_at_end;
  /// In bytes, after some seconds, at the end, and the most.
  std::size_t memory_at_start = 0;
  std::size_t memory_at_end = 0;
  std::size_t most_memory = 0;
};

/// The client processes: the first in C++, the rest in Python.
///
/// Thread safety: safe for distinct clients.
class crew {
 public:
  static constexpr std::size_t clients = 6;
  static constexpr std::size_t kazoo_clients = 2;
  static constexpr std::size_t zklock_clients = clients - kazoo_clients;

  crew(cluster& servers, std::filesystem::path folder, std::uint64_t seed);

  /// These functions do nothing if the process already is as it is to be, or is dismissed.
  void start(std::size_t client);
  void kill(std::size_t client);
  void pause(std::size_t client);
  void resume(std::size_t client);

  /// Blocks the loop of the zklock client of a C++ process. Its other loops go on.
  void block(std::size_t client);
  void unblock(std::size_t client);

  /// Has the zklock client of a C++ process use a single server, or all.
  void use_one_server(std::size_t client, std::uint32_t server);
  void use_all_servers(std::size_t client);

  /// Kills the processes of kazoo, which start again when they are recalled.
  void dismiss_kazoo();
  void recall_kazoo();

  /// Reads how much memory each process has.
  void measure();

  /// Tells all processes to stop, and waits for their ends. Returns the faults of their ends.
  std::vector<std::string> stop();

  /// Returns all incarnations. Call `stop` before.
  const std::vector<incarnation>& incarnations() const { return past_; }

 private:
  struct member {
    std::mutex mutex;
    std::optional<zklock::testing::child_process> process;
    std::chrono::steady_clock::time_point started{};
    incarnation now;
    bool dismissed = false;
  };

  std::vector<std::string> command_of(const member& one) const;
  std::filesystem::path errors_of(const member& one) const;
  void kill(member& one);
  void tell(std::size_t client, const std::string& command);
  void end(member& one);
  static bool note_kazoo_failure(member& one);
  void await_end(member& one, std::vector<std::string>& wrong);
  void check_resources(const incarnation& one, std::vector<std::string>& wrong) const;

  cluster& servers_;
  const std::filesystem::path folder_;
  const std::uint64_t seed_;
  std::mutex mutex_;
  std::size_t count_ = 0;
  std::vector<incarnation> past_;
  std::vector<std::string> unexpected_;
  std::vector<member> members_{clients};
};

} // namespace chaos

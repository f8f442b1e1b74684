#pragma once

#include "chaos/history.hpp"

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace chaos {

/// The writes that the servers have logged, in order. A write that was acknowledged and is not
/// among them was lost by the servers.
struct logged_writes {
  /// Logged by two servers at least. A quorum logs a write before its reply, and a server removes a
  /// write from its log only to follow a leader that has not got it.
  std::vector<std::int64_t> zxids;
  /// The nodes that commits have made, logged by all servers. A joining server can leave out writes
  /// of that time, without any error (ZOOKEEPER-4785): they are missing when it has led.
  std::vector<std::string> commits;

  /// Adds the writes of an earlier time.
  void merge(const logged_writes& earlier);
};

/// Reads the transaction logs in the data folders of three servers. A server that runs may have a
/// log that ends within a transaction, which is left out.
logged_writes read_logs(std::span<const std::filesystem::path> folders);

/// Returns the times of the writes after which a server found that its nodes differ from the nodes
/// of its leader, in order. Servers compare digests of their nodes, log the first difference, and
/// go on. The system's time must not have been set during the run.
std::vector<nanoseconds> read_differences(const std::filesystem::path& log_of_server);

/// Returns the times at which a thread of a server ended by an error, in order: the server then
/// closes its connections. A server whose nodes differ from its leader's may fail so long after the
/// fault. The run has taken less than a day, and the system's time must not have been set.
std::vector<nanoseconds> read_crashes(const std::filesystem::path& log_of_server);

} // namespace chaos

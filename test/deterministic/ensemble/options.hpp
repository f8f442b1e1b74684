#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace deterministic::servers {

/// Number of voting members.
inline constexpr int replicas = 3;
inline constexpr int quorum = 2;

/// The settings of a ZooKeeper ensemble, under the names of zoo.cfg, with its defaults.
struct ensemble_options {
  std::chrono::milliseconds tick{2000};
  int init_limit = 10;
  int sync_limit = 5;
  std::chrono::milliseconds min_session_timeout{2 * tick};
  std::chrono::milliseconds max_session_timeout{20 * tick};
  /// `globalOutstandingLimit`: requests in process beyond which a replica stops reading.
  std::size_t outstanding_limit = 1000;
  /// `jute.maxbuffer`, in bytes.
  std::size_t max_request = 0xfffff;
  /// `znode.container.checkIntervalMs`
  std::chrono::milliseconds container_period{60'000};
  /// The wall clock at the beginning of simulated time.
  std::chrono::milliseconds epoch{1'800'000'000'000};
  /// The first sequence number in each directory: 0 but for tests near the last number.
  std::int32_t first_number = 0;
  /// A connect request that names a session gets a new session, as from some servers and proxies
  /// that are no ZooKeeper.
  bool replaces_sessions = false;
  /// Committed transactions that a replica keeps to bring replicas up to date without a snapshot.
  std::size_t kept_transactions = 500;
};

} // namespace deterministic::servers

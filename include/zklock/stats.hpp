#pragma once

#include <zklock/connection_state.hpp>

#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace zklock {

/// A histogram of durations, with buckets as of Prometheus.
struct duration_histogram {
  /// The upper bounds of the buckets, in seconds. A bound belongs to its bucket. They are fixed.
  static constexpr std::array<double, 16> upper_bounds{
      0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800};

  /// The durations in each bucket: above the bound of the bucket before, up to its own bound. The
  /// last bucket has the durations above all bounds. The counts are not cumulative, unlike
  /// Prometheus' counts.
  std::array<std::uint64_t, upper_bounds.size() + 1> buckets{};

  /// The durations in all buckets.
  std::uint64_t count = 0;

  /// The sum of all durations, in seconds.
  std::chrono::duration<double> sum{0};
};

/// The numbers of lost holds, by the reason that `hold::wait_lost` reports.
struct lost_holds {
  /// `errc::session_expired`.
  std::uint64_t session_expired = 0;
  /// `errc::data_rolled_back`.
  std::uint64_t data_rolled_back = 0;
  /// `errc::entry_deleted`: by `break_lock`, or by hand.
  std::uint64_t entry_deleted = 0;
  /// `errc::hold_limit_reached`.
  std::uint64_t hold_limit_reached = 0;
  /// `errc::closed`: the client was closed while the lock was held.
  std::uint64_t closed = 0;
  /// Another reason: the client failed permanently, `errc::authentication_failed` for example.
  std::uint64_t failed = 0;
};

/// The acquires and holds of a group of locks. Counters only rise; `holds` and `waiters` are
/// numbers of this moment.
///
/// Each acquire counts in `waiters` until it ends, and then in `acquired`, `reentered`,
/// `timed_out`, `cancelled`, `busy` or `failed`. Each acquired hold counts in `holds` until it
/// ends, and then in `released` or in `lost`. A `multi_lock` and `acquire_any` count as an acquire
/// of each of their locks. Several permits that are acquired together are a single hold.
struct lock_stats {
  /// Acquires that were granted.
  std::uint64_t acquired = 0;

  /// Acquires of an owner that held the lock already. They share its hold.
  std::uint64_t reentered = 0;

  /// Acquires of `acquired` that were granted without a request, by a handed-over or cached entry;
  /// see `client_options::local_handoffs` and `client_options::lock_cache`.
  std::uint64_t handed_over = 0;

  /// Acquires that ended with `errc::timed_out`.
  std::uint64_t timed_out = 0;

  /// Acquires that the program cancelled, or that `acquire_any` did not need.
  std::uint64_t cancelled = 0;

  /// Tries that found the lock taken: `errc::busy`.
  std::uint64_t busy = 0;

  /// Acquires that ended with any other error, `errc::not_connected` for example.
  std::uint64_t failed = 0;

  /// Holds that the program released or destroyed.
  std::uint64_t released = 0;

  /// Holds that were lost.
  lost_holds lost{};

  /// Release requests that holders have received, by `hold::wait_release_requested`. Requests to a
  /// holder that does not wait for requests are not counted.
  std::uint64_t release_requests = 0;

  /// Locks that are held now. A lock that is released while the numbers are read may count.
  std::uint64_t holds = 0;

  /// Acquires that wait now.
  std::uint64_t waiters = 0;

  /// How long each of `acquired` waited, from the call until it was granted.
  duration_histogram waited{};

  /// How long each lock was held, from the grant until it was released or lost.
  duration_histogram held{};
};

/// The TLS of a client's newest connection.
struct tls_stats {
  /// The version, `TLSv1.3` for example.
  std::string version{};

  /// OpenSSL's name of the cipher.
  std::string cipher{};

  /// When the certificate of the server expires. A server keeps its certificate until it is
  /// restarted, unless its configuration says otherwise.
  std::chrono::system_clock::time_point server_expiry{};

  /// When the certificate of the client expires. Empty: the client has none.
  std::optional<std::chrono::system_clock::time_point> client_expiry{};

  /// Compares all members.
  bool operator==(const tls_stats&) const = default;
};

/// The counters of a client since its construction, and its state; see `client::stats`.
struct stats {
  /// All locks together.
  lock_stats total{};

  /// The locks of each label that `client_options::label` returned. A lock without a label counts
  /// in `total` only. So does an acquire that fails before it reaches its lock: the client is
  /// closed, or the timeout is invalid.
  std::map<std::string, lock_stats, std::less<>> by_label{};

  /// Znodes that `any_lock::break_lock` of this client deleted.
  std::uint64_t broken = 0;

  /// Requests sent to ZooKeeper, without connects, authentication and pings.
  std::uint64_t requests = 0;

  /// Connections that were made again to the same session.
  std::uint64_t reconnects = 0;

  /// Sessions that expired, or that the client has ended since the servers' data was rolled back.
  std::uint64_t session_expiries = 0;

  /// How often the data of the servers turned out to be older than before: the servers were
  /// restored from a backup, for example. Fencing tokens may have gone back; see
  /// `errc::data_rolled_back`.
  std::uint64_t data_rollbacks = 0;

  /// The state of the connection now.
  connection_state state = connection_state::connecting;

  /// The TLS of the newest connection, which may be lost by now. Empty before the first connection,
  /// and without `client_options::tls`.
  std::optional<tls_stats> tls{};

  /// How long the session is certain to live, as far as is proven now: `hold::valid_until()` of a
  /// lock held now, less the present time, in nanoseconds. Zero if this time has passed, or if
  /// there is no session. A client without locks in use does not have its session proven.
  std::chrono::nanoseconds margin{0};
};

} // namespace zklock

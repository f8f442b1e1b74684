#pragma once

#include <zklock/log.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace zklock {

/// What a client proves its identity with to the servers.
struct credential {
  /// ZooKeeper's name of the authentication scheme.
  std::string scheme = "digest";
  /// For the digest scheme: `user:password`.
  std::string secret{};
};

/// What an access rule permits; combine with `|`.
enum class permission : unsigned {
  read = 1,
  write = 2,
  create = 4,
  remove = 8,
  admin = 16,
  all = 31,
};

/// Combines permissions.
///
/// Thread safety: safe.
constexpr permission operator|(permission a, permission b) noexcept {
  return static_cast<permission>(static_cast<unsigned>(a) | static_cast<unsigned>(b));
}

/// One line of the access control list that every node made by a client gets.
struct access_rule {
  permission permissions = permission::all;
  /// ZooKeeper's name of the scheme: `world`, `auth`, `digest`, `ip`.
  std::string scheme = "world";
  /// Who, in the scheme's own form.
  std::string id = "anyone";
};

/// What the directories above a lock's entries are made as, where they do not exist.
enum class parent_kind {
  /// The servers remove them some time after the last entry has gone, and the client itself removes
  /// those that it made for locks that it has forgotten: it remembers 1,024 that it does not use.
  /// What is above a lock's own directory is left to the servers, and so is what the client
  /// remembers when it is closed. Needs ZooKeeper 3.5.3.
  container,
  /// They stay. For paths that kazoo locks too: it does not make a directory again that it has
  /// seen once.
  persistent,
};

/// How a client connects and behaves. All members but `servers` can be left as they are.
struct client_options {
  /// `host:port[,host:port]...[/chroot]`; IPv6 addresses as `[::1]:2181`. All paths are relative to
  /// the chroot, which must exist.
  ///
  /// While there is no connection the addresses are tried one after the other. One that does not
  /// answer is given up after its share of the session timeout, a third at most, and between 500 ms
  /// and 10 s. Names are looked up meanwhile, and the addresses that they had before are tried
  /// until that is done. Asio resolves all names of an execution context on one thread: the first
  /// connection may have to wait until a slow name has been given up.
  std::string servers;

  /// What to ask the servers for; they grant between 2 and 20 ticks of theirs. This is how long a
  /// lock stays taken when its holder crashes, and how long a network failure may last without a
  /// holder losing its lock. At least twice `server_tick`, at most 2^31 - 1 ms; the client asks for
  /// 2^30 - 1 ms, 12 days, at most.
  std::chrono::milliseconds session_timeout{15'000};

  /// Added to every connection. Each may be 64 KiB long.
  std::vector<credential> credentials{};

  /// The access control list of the nodes that the client makes; empty: anyone may do anything.
  /// Up to 64 KiB in all.
  std::vector<access_rule> access{};

  /// Written into every entry, for people and for other clients that look at who holds a lock:
  /// UTF-8 text of at most 4,096 bytes; empty: the host's name and the process id.
  std::string identity{};

  /// What missing directories are made as.
  parent_kind parents = parent_kind::container;

  /// How many waiters of one lock may have an entry in ZooKeeper at a time, from 1 to 1,000; the
  /// others wait in the process, first come first served.
  std::size_t window = 64;

  /// How often an entry is passed on to another waiter of this client, where one waits, before it
  /// is deleted and the lock goes to whoever is next in ZooKeeper; up to 1,000,000. That costs
  /// ZooKeeper nothing, so that a hot lock needs it once in so many turns; waiters of other
  /// processes wait that many turns longer, and the order in which the lock was asked for holds
  /// within each process only. Holds of readers and of semaphores are not passed on. 0: the lock
  /// goes strictly in that order.
  std::uint32_t local_handoffs = 0;

  /// How many bytes of node paths the client may own at a time, from 4 KiB to 900 KiB. Where that
  /// is used up, those who want a lock wait until another one is given back or somebody who waits
  /// behind others of this client makes room, and tries end with `errc::budget_exhausted`. An
  /// acquire that wants several permits waits until there is room for all of their nodes, and ends
  /// with `errc::budget_exhausted` where there never can be. Meanwhile an eighth of the bytes is
  /// for locks that the client does not use yet and that need one node, so that they go on.
  /// Ensembles break on sessions that own more than their `jute.maxbuffer`, 1 MiB unless configured
  /// otherwise (ZOOKEEPER-4306).
  std::size_t owned_bytes = std::size_t{512} * 1024;

  /// Called with what happens to the connection. Attempts to connect that fail in the same way are
  /// logged once for each outage. Empty: warnings and errors go to standard error, each as one
  /// line; a function that does nothing, `[](auto, auto) {}`, silences the client.
  log_function log{};

  /// The servers' `tickTime`, or more. See `hold::valid_until`; from 1 ms to 60 s.
  std::chrono::milliseconds server_tick{2'000};

  /// How often the quorum is asked to confirm the session, and the nodes are looked for, while
  /// locks are held or waited for, and for one session timeout after that; two transactions each
  /// time. At most (0.8 `session_timeout` - `server_tick`) / 2, so that a healthy session never
  /// counts as in doubt. 0: a fifth of the session timeout, or (0.7 `session_timeout` -
  /// `server_tick`) / 2 where that is shorter. See `hold::valid_until`.
  std::chrono::milliseconds check_interval{0};

  /// How long a try waits for servers that do not answer, from 1 ms to 2^31 - 1 ms.
  std::chrono::milliseconds connect_timeout{10'000};
};

} // namespace zklock

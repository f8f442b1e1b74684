#pragma once

#include <zklock/log.hpp>
#include <zklock/observer.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace zklock {

/// A function that returns the label of a lock for `client::stats`.
using label_function = std::function<std::string(std::string_view path)>;

/// A proof of identity that a client sends to the servers.
struct credential {
  /// ZooKeeper's name of the authentication scheme.
  std::string scheme = "digest";
  /// For the digest scheme: `user:password`, without a line end.
  std::string secret{};
};

/// The operations that an access rule permits; combine them with `|`.
enum class permission : unsigned {
  /// To read a node's data, and to list its children.
  read = 1,
  /// To write a node's data.
  write = 2,
  /// To create children.
  create = 4,
  /// To delete children.
  remove = 8,
  /// To change the access control list.
  admin = 16,
  /// All of these.
  all = 31,
};

/// Combines permissions.
///
/// Thread safety: safe.
constexpr permission operator|(permission a, permission b) noexcept {
  return static_cast<permission>(static_cast<unsigned>(a) | static_cast<unsigned>(b));
}

/// One entry of the access control list of every node that a client makes.
struct access_rule {
  /// The operations that it permits.
  permission permissions = permission::all;
  /// ZooKeeper's name of the scheme: `world`, `auth`, `digest`, `ip`, `x509`, `sasl`, or the scheme
  /// of one of the client's credentials.
  std::string scheme = "world";
  /// The clients that it permits them to, in the scheme's own form: `anyone` for `world`,
  /// `user:hash` for `digest`, anything for `auth`. Otherwise it must not be empty.
  std::string id = "anyone";
};

/// The kind of the directories above a lock's entries, where they do not exist yet.
enum class parent_kind {
  /// Containers: the servers remove them some time after the last entry is gone. The client itself
  /// removes those that it made for locks that it forgets; it remembers 1,024 unused locks. The
  /// parents of a lock's own directory are left to the servers, and so are the directories that the
  /// client remembers when it is closed. Needs ZooKeeper 3.5.3.
  container,
  /// Persistent nodes, which stay. For paths that kazoo locks too: kazoo does not make a directory
  /// again that it has seen once.
  persistent,
};

/// How a client keeps locks that no other client wants.
struct lock_cache_options {
  /// For how long a lock that is kept may be unused before it is given back, from 1 ms to the
  /// session timeout. A lock that is used often is given back earlier: after four times the mean
  /// time between its uses, but not within 10 ms.
  std::chrono::milliseconds idle_limit{1'000};
};

/// How a client connects and behaves. All members except `servers` have defaults.
///
/// The client keeps the observer, the functions and the credentials until a `client::close` has
/// completed, or until its execution context is destroyed, also where locks and holds live on. It
/// destroys them on a thread of its execution context, or on that which destroys the context.
struct client_options {
  /// The ensemble: `host:port[,host:port]...[/chroot]`; IPv6 addresses as `[::1]:2181`. All paths
  /// are relative to the chroot, which must exist. It stands once, behind the last server.
  ///
  /// While there is no connection the client tries the addresses one after the other. It gives up
  /// an address that does not answer after its share of the session timeout, a third at most, and
  /// between 500 ms and 10 s. Meanwhile it looks up names, and tries their former addresses until
  /// that is done. Asio resolves all names of an execution context on one thread: a slow name can
  /// delay the first connection.
  std::string servers;

  /// The session timeout to ask for, in milliseconds; the servers grant between 2 and 20 of their
  /// ticks. It is how long a lock stays taken when its holder crashes. It is also how long a
  /// network failure may last without a holder losing its lock. A warning is logged where the
  /// servers grant another session timeout. At least twice `server_tick`, at most 2^31 - 1 ms; the
  /// client asks for 2^30 - 1 ms, 12 days, at most.
  std::chrono::milliseconds session_timeout{15'000};

  /// Proofs of identity that are sent on every connection. Each is at most 64 KiB long. The C
  /// client has a copy in each connection, which it frees with the connection: the end of a session
  /// whose server is silent takes it up to 4.5 seconds.
  std::vector<credential> credentials{};

  /// The access control list of the nodes that the client makes, at most 64 KiB in all. Empty:
  /// anyone may do anything.
  std::vector<access_rule> access{};

  /// Data of every entry, which shows people and other clients the holder of a lock: UTF-8 text of
  /// at most 4,096 bytes. Empty: the host's name and the process id.
  std::string identity{};

  /// The kind of directories that the client makes where they are missing.
  parent_kind parents = parent_kind::container;

  /// How many waiters of one lock may have an entry in ZooKeeper at a time, from 1 to 1,000.
  /// Further waiters queue in the process, first come, first served.
  std::size_t window = 64;

  /// How often an entry is passed on to the next waiter of this client before it is deleted and the
  /// lock goes to the next entry in line; at most 1,000,000. Passing on sends ZooKeeper nothing on
  /// the way, so that a hot lock needs it once in so many turns. Waiters of other processes wait
  /// that many turns longer, and the lock is first come, first served within each process only.
  /// While acquisitions of this client follow each other and no other client wants the lock, which
  /// a watch of its directory would tell, an entry is passed on without a limit.
  /// Holds of readers and of semaphores are not passed on. 0: the lock is strictly first come,
  /// first served.
  std::uint32_t local_handoffs = 0;

  /// Keeps a lock that this client acquired twice in a row, while no other client wants it, for its
  /// next acquire, which then costs no request. While another client waits, the lock goes to it
  /// with the release of the current hold, or after `local_handoffs`. For mutexes, and for readers
  /// and writers of a `shared_mutex`; without effect on semaphores. Nothing: no lock is kept.
  ///
  /// A process that keeps a lock, and crashes or is paused, keeps others out for a session timeout,
  /// as one that holds it.
  std::optional<lock_cache_options> lock_cache{};

  /// How many bytes of node paths the client may own at a time, from 4 KiB to 900 KiB. Where they
  /// are used up, an acquire waits until another lock is given back, or until a waiter behind other
  /// entries of this client makes room; a try fails with `errc::budget_exhausted`. An acquire of
  /// several permits gets in line once there is room for all of their nodes, and one of a
  /// `multi_lock` acquires the first lock once there is room for all of them. Both fail with
  /// `errc::budget_exhausted` where there never is. Meanwhile an eighth of the bytes is reserved
  /// for locks that the client does not use yet and that need one node, so that they go on.
  /// Ensembles break on sessions that own more than their `jute.maxbuffer`, 1 MiB unless configured
  /// otherwise (ZOOKEEPER-4306).
  std::size_t owned_bytes = std::size_t{512} * 1024;

  /// Called with the events of the connection. Attempts to connect that fail in the same way are
  /// logged once for each outage. Empty: warnings and errors go to standard error, each as one
  /// line with the time in UTC and the identity of the client:
  ///
  ///     2026-02-03T04:05:06.789Z zklock: warning: the session has expired session=0x1 client=a:412
  ///
  /// A function that does nothing, `[](auto, auto) {}`, silences the client.
  log_function log{};

  /// Returns the label under which `client::stats` counts a lock; an empty one, or no function: in
  /// the total only. It is called with the path that the lock was made with, once when the client
  /// begins to use the lock, and not for each acquire. The client remembers 1,024 unused locks; one
  /// that it forgets is asked for again at its next use. It runs on the client's strand (see
  /// @ref executors) and must not block. If it throws, the lock has no label, and the exception
  /// leaves `run()` of the client's execution context, as that of a handler does.
  ///
  /// The numbers of a label stay in memory, about half a KiB for each, until the client is
  /// destroyed. So the function must return a bounded number of labels: not the id of a customer.
  label_function label{};

  /// Receives the changes of the connection, and the starts and ends of waits and holds: for
  /// tracing, and for a program that acts on the state of the connection. An acquire then takes an
  /// additional allocation. Empty: there is no observer.
  std::shared_ptr<zklock::observer> observer{};

  /// The servers' `tickTime`, or more: from 1 ms to 60 s. `hold::valid_until` relies on it. The
  /// warning about the session timeout tells where the servers' `tickTime` seems to be longer.
  std::chrono::milliseconds server_tick{2'000};

  /// How often, in milliseconds, the client has the quorum confirm the session and looks for the
  /// nodes of its holds, with two transactions each time. It does so while locks are held or waited
  /// for, and for one session timeout after that. At most (0.8 `session_timeout` - `server_tick`) /
  /// 2, so that a healthy session never counts as in doubt. 0: a fifth of the session timeout, or
  /// (0.7 `session_timeout` - `server_tick`) / 2 where that is shorter. `hold::valid_until` relies
  /// on it.
  std::chrono::milliseconds check_interval{0};

  /// How long a try, and an operation that looks at a lock, waits for servers that do not answer:
  /// from 1 ms to 2^31 - 1 ms.
  std::chrono::milliseconds connect_timeout{10'000};
};

} // namespace zklock

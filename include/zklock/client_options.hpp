#pragma once

#include <zklock/log.hpp>
#include <zklock/observer.hpp>
#include <zklock/tls_options.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
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
  /// All operations.
  all = 31,
};

/// Combines permissions.
///
/// Thread safety: safe.
constexpr permission operator|(permission a, permission b) noexcept {
  return static_cast<permission>(static_cast<unsigned>(a) | static_cast<unsigned>(b));
}

/// A rule of the access control list of every node that a client makes.
struct access_rule {
  /// The permitted operations.
  permission permissions = permission::all;
  /// ZooKeeper's name of the scheme: `world`, `auth`, `digest`, `ip`, `x509`, `sasl`, or the scheme
  /// of a credential of the client.
  std::string scheme = "world";
  /// The permitted clients, in the scheme's own form: `anyone` for `world`, `user:hash` for
  /// `digest`, anything for `auth`. For other schemes it must not be empty.
  std::string id = "anyone";

  /// Returns a rule for the clients with a certificate of this subject, on servers with TLS:
  /// `CN=shop,O=Example`, as RFC 2253 writes it.
  ///
  /// Thread safety: safe.
  static access_rule x509(std::string subject, permission permissions = permission::all) {
    return {.permissions = permissions, .scheme = "x509", .id = std::move(subject)};
  }
};

/// The kind of missing directories that a client makes above a lock's entries.
enum class parent_kind {
  /// Containers: the servers remove a container some time after its last entry is gone. The client
  /// itself removes the directory that it made for a lock when it forgets the lock; it remembers
  /// 1,024 unused locks. It leaves the parents of a lock's directory to the servers, and so the
  /// remembered directories when it is closed. Needs ZooKeeper 3.5.3.
  container,
  /// Persistent nodes, which stay. For paths that kazoo locks too: kazoo makes a directory only
  /// once.
  persistent,
};

/// How a client caches locks that no other client wants.
struct lock_cache_options {
  /// How long a cached lock may be unused before it is evicted, from 1 ms to the session timeout. A
  /// lock that is used often is evicted earlier: after four times the mean time between its uses,
  /// but not within 10 ms.
  std::chrono::milliseconds idle_limit{1'000};
};

/// How a client connects and behaves. All members except `servers` have defaults.
///
/// The client keeps the observer, the functions, the credentials and the keys until a
/// `client::close` has completed, or until its execution context is destroyed, even if locks and
/// holds live on. It destroys them on a thread of its execution context, or on the thread that
/// destroys the context.
struct client_options {
  /// The ensemble: `host:port[,host:port]...[/chroot]`; IPv6 addresses as `[::1]:2181`. All paths
  /// are relative to the chroot, which must exist. The chroot stands once, behind the last server.
  /// `client::set_servers` replaces the list while the program runs.
  ///
  /// While there is no connection, the client tries the addresses in turn. It gives up a silent
  /// address after the address's share of the session timeout, at most a third, and between 500 ms
  /// and 10 s. Meanwhile it looks up names, and tries their former addresses. Asio resolves all
  /// names of an execution context on a single thread: a slow name can delay the first connection.
  std::string servers;

  /// The session timeout to request, in milliseconds; the servers grant between 2 and 20 of their
  /// ticks. A lock stays taken for so long when its holder crashes, and a network failure may last
  /// for so long before a holder loses its lock. The client logs a warning if the servers grant
  /// another session timeout. At least twice `server_tick`, at most 2^31 - 1 ms; the client
  /// requests at most 2^30 - 1 ms, 12 days.
  std::chrono::milliseconds session_timeout{15'000};

  /// TLS on every connection; see `tls_options`. The constructor of the client reads the files, and
  /// refuses files, keys and ciphers that cannot be used with `errc::bad_option`, named in
  /// `what()`. Empty: the connections are plain. A zklock that was built without `ZKLOCK_TLS`
  /// refuses it.
  ///
  /// The time limits of attempts to connect include the handshake of TLS. At the end of a session
  /// the client's key stays in memory as long as its credentials.
  std::optional<tls_options> tls{};

  /// Credentials that the client sends on every connection, each at most 64 KiB long. The C client
  /// has a copy in each connection, which it frees with the connection: up to 4.5 seconds later if
  /// the server is silent at the end of a session.
  std::vector<credential> credentials{};

  /// The access control list of the nodes that the client makes, at most 64 KiB in all. Empty:
  /// anyone may do anything.
  std::vector<access_rule> access{};

  /// The data of every entry without an identity of its own, which names the holder of a lock to
  /// people and other clients: UTF-8 text of at most 4,096 bytes that does not begin with the line
  /// `__REVOKE__`. Empty: the host's name and the process id.
  std::string identity{};

  /// The kind of missing directories that the client makes.
  parent_kind parents = parent_kind::container;

  /// The maximum number of entries that the client has for a lock in ZooKeeper, from 1 to 1,000.
  /// Further waiters queue in the process, first come, first served.
  std::size_t max_entries_per_lock = 64;

  /// How often an entry is handed over to the next waiter of this client before it is deleted and
  /// the lock goes to the next entry in line; at most 1,000,000. A hand-over sends no request.
  /// Waiters of other processes wait for so many turns longer, and the lock is first come, first
  /// served within each process only. While acquisitions of this client follow each other and no
  /// other client wants the lock, which a watch of its directory would tell, hand-overs have no
  /// limit. Holds of readers and of semaphores are not handed over. 0: the lock is strictly first
  /// come, first served.
  std::uint32_t local_handoffs = 0;

  /// Caches a lock that this client acquired twice in a row, while no other client wants it: the
  /// next acquire costs no request. If another client waits, the lock goes to it with the release
  /// of the current hold, or after `local_handoffs`. For mutexes, and for readers and writers of a
  /// `shared_mutex`; without effect on semaphores. Empty: no lock is cached.
  ///
  /// A process with a cached lock that crashes or is paused excludes other clients for a session
  /// timeout, like a holder.
  std::optional<lock_cache_options> lock_cache{};

  /// How many bytes of node paths the client may own at a time, from 4 KiB to 900 KiB. Ensembles
  /// break on sessions that own more than their `jute.maxbuffer`, 1 MiB unless configured otherwise
  /// (ZOOKEEPER-4306).
  ///
  /// If the bytes are used up, acquires wait in one line for room, until other locks are released
  /// or waiters behind other entries of this client give up their entries; a try fails with
  /// `errc::budget_exhausted`. An acquire of several permits waits for the room of all of its
  /// permits, and an acquire of a `multi_lock` for the room of all of its locks, before it gets in
  /// line for the first of them. If there is never so much room, the acquire fails with
  /// `errc::budget_exhausted`.
  ///
  /// The first acquire of a lock is not overtaken by that of another lock. So an acquire that needs
  /// most of the bytes delays all locks that the client does not use yet. A program that holds a
  /// lock and acquires another lock then waits for as long: a `multi_lock` acquires both at once.
  std::size_t max_path_bytes = std::size_t{512} * 1024;

  /// Receives the lines of the client's log. Attempts to connect that fail alike are logged once
  /// for each outage. Empty: warnings and errors go to standard error, each as a line with the time
  /// in UTC and the identity of the client:
  ///
  ///     2026-02-03T04:05:06.789Z zklock: warning: the session has expired session=0x1 client=a:412
  ///
  /// A function that does nothing, `[](auto, auto) {}`, silences the client.
  log_function log{};

  /// Returns the label under which `client::stats` counts a lock. With an empty label, or without
  /// the function, the lock counts in the total only. The function is called with the path of the
  /// lock's constructor, once when the client begins to use the lock, and not for each acquire. It
  /// is called again at the next use of a lock that was not used for a session timeout, or since
  /// 1,024 other locks were used. The function runs on the client's strand (see @ref executors) and
  /// must not block. If it throws, the lock has no label, and the exception leaves `run()` of the
  /// client's execution context, as an exception of a handler does.
  ///
  /// The numbers of a label, about half a KiB, stay in memory until the client is destroyed. So the
  /// function must return a bounded number of labels: not the id of a customer.
  label_function label{};

  /// Receives the changes of the connection, and the starts and ends of waits and holds, for
  /// example for tracing. An acquire then takes an additional allocation. Empty: there is no
  /// observer.
  std::shared_ptr<zklock::observer> observer{};

  /// The servers' `tickTime`, or more: from 1 ms to 60 s. `hold::valid_until` relies on it. The
  /// warning about the session timeout tells if the servers' `tickTime` seems to be longer.
  std::chrono::milliseconds server_tick{2'000};

  /// The interval, in milliseconds, at which the quorum confirms the session and the nodes of its
  /// holds, with two transactions. The client does so while locks are held or waited for, and for a
  /// session timeout after that. At most (0.8 `session_timeout` - `server_tick`) / 2, so that a
  /// healthy session never counts as in doubt. 0: the shorter of a fifth of the session timeout and
  /// (0.7 `session_timeout` - `server_tick`) / 2. `hold::valid_until` relies on it.
  std::chrono::milliseconds check_interval{0};

  /// How long a try, and an operation that looks at a lock, waits for silent servers: from 1 ms to
  /// 2^31 - 1 ms.
  std::chrono::milliseconds connect_timeout{10'000};
};

} // namespace zklock

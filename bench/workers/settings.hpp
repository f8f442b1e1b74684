#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

namespace bench {

/// The work between "go" and the end of the measured window.
enum class work {
  /// Acquires, holds for `keep`, releases and waits for the release, in a loop.
  cycle,
  /// As `cycle`, without waiting for the release.
  background,
  /// As `cycle`, by acquires that leave the cache of the client alone.
  uncached,
  /// As `cycle` and as `background`, with a lock that is kept and granted by the immediate executor
  /// of the handler.
  immediate,
  immediate_background,
  /// As `cycle`, each time with a new object of the lock.
  new_object,
  /// As `cycle`, each time with a new lock.
  first_use,
  /// Tries to acquire a lock that another process holds.
  try_busy,
  /// Holds a lock until the standard input ends, for `try_busy`, `read` and for new processes.
  hold,
  /// Without a lock: makes a client, waits for its session, and ends it, in a loop.
  connect,
  /// Without a lock: two processes delete, in turn, a znode that their peer watches.
  handover,
  /// The first process keeps new locks in its cache, and the second acquires each of them once.
  /// With `waiting`, so many acquisitions of the first process are in line, and the second process
  /// requests the release of each lock.
  first_touch,
  /// The first process acquires a lock to write once a second, and all further processes to read.
  readers,
  /// Acquires a lock to read, and releases it, in a loop.
  read,
  /// In a loop, `waiting` acquisitions get in line behind a hold of their client, and then are
  /// cancelled all at once.
  give_up,
  /// Without a lock: passes through the executor twice, as a coroutine does that awaits the acquire
  /// and the release of a lock that is kept.
  posts,
  /// As `posts`, once: as a coroutine does that releases in the background.
  one_post,
};

/// The command line, common to the workers of all systems.
struct settings {
  std::string servers{};
  /// The files of the authority that has signed the servers' certificates, and of the certificate
  /// and the key of this client. Empty without TLS.
  std::string authorities{};
  std::string certificate{};
  work mode = work::cycle;
  std::string path{};
  /// The index of this process among the processes of the point.
  std::size_t index = 0;
  std::size_t waiters = 1;
  /// The number of locks: waiter i uses lock i modulo this. Where there are more of them than
  /// waiters, each waiter of zklock uses every so many in turn.
  std::size_t locks = 1;
  /// The number of other locks that are held during the measurement.
  std::size_t held = 0;
  /// The number of other locks that were used before it.
  std::size_t known = 0;
  /// The number of other locks that the client caches during the measurement.
  std::size_t cached = 0;
  /// The number of other locks that wait for room in the budget of the client meanwhile.
  std::size_t starved = 0;
  /// The number of acquisitions that get in the line of a lock for `first_touch` and `give_up`.
  std::size_t waiting = 0;
  /// The number of readers of another process that hold the lock during the measurement.
  std::size_t readers = 0;
  /// The numbers of clients, of execution contexts that waiters and clients use in turn, and of the
  /// threads of each context. Waiters of several threads have locks of their own.
  std::size_t clients = 1;
  std::size_t contexts = 1;
  std::size_t context_threads = 1;
  std::uint32_t local_handoffs = 0;
  /// Whether the client keeps locks, see `client_options::lock_cache`.
  bool cache = false;
  /// The time for which each waiter holds the lock.
  std::chrono::microseconds keep{0};
  /// The longest random pause before a waiter queues again.
  std::chrono::microseconds pause{0};
  std::chrono::microseconds warmup{500'000};
  std::chrono::microseconds window{1'000'000};
  /// Whether to report the begin and end of each hold.
  bool stamps = false;
};

/// Throws `std::invalid_argument` if an argument is unknown or out of range.
settings read_settings(int argc, char** argv);

/// Returns whether the client has other locks than the locks of its waiters.
bool has_others(const settings& chosen);

/// Returns the path of a waiter's lock.
std::string lock_of(const settings& chosen, std::size_t waiter);

} // namespace bench

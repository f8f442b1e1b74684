#pragma once

#include <zklock/fencing_token.hpp>

#include <chrono>
#include <cstdint>
#include <string>

namespace zklock {

/// The role in which a participant requests a lock.
enum class participant_role : std::uint8_t {
  /// To hold the lock alone.
  exclusive,
  /// To hold the lock together with other readers.
  shared,
  /// To hold permits of a semaphore.
  permit,
};

/// Whether a participant uses the lock that it holds.
enum class participant_use : std::uint8_t {
  /// A hold uses it, or the participant waits.
  in_use,
  /// The participant's client caches the lock, and evicts it when another client wants it; see
  /// `client_options::lock_cache`. Only the participant's client reports this value.
  cached,
  /// In use or cached: another client that caches locks holds the lock.
  unknown,
};

/// A holder or a waiter of a lock, as the servers showed its znode: an entry of zklock, of Curator
/// or of another library that shares the path. Each permit of several that are held together is a
/// participant. A waiting Curator client has a node for its permit before it holds the permit; this
/// node is left out, and the client is listed by its entry in line.
struct participant {
  /// The full path of the znode, with the chroot.
  std::string node{};

  /// The sequence number at the end of the znode's name, which gives the order in line; -1 for a
  /// permit without a number.
  std::int64_t number = 0;

  /// The requested role.
  participant_role role = participant_role::exclusive;

  /// Whether the participant holds the lock, by the rules of the kind of lock.
  bool is_holder = false;

  /// Whether the participant uses the lock that it holds.
  participant_use use = participant_use::in_use;

  /// The data that the participant's client wrote into the znode: for zklock
  /// `client_options::identity`, or the identity of `acquire_options::identity` or
  /// `hold::set_identity`. Empty if a release request has overwritten the data, as Curator's
  /// Revoker does. Of several permits that zklock acquired together only the first znode has the
  /// identity, which is shown for all. At most the first 4,096 bytes. Any client may have written
  /// any bytes: escape the text before it is shown.
  std::string identity{};

  /// When the znode was created, by the servers' clock, in milliseconds. An entry is in line since
  /// then; a permit of zklock is held since then. ZooKeeper does not record since when an entry in
  /// line, or a permit of Curator, holds: not before this time. `hold::held_since` tells it for a
  /// hold of this process.
  std::chrono::system_clock::time_point queued_since{};

  /// The transaction that created the znode: for an entry of zklock the first part of the fencing
  /// token.
  fencing_token token{};

  /// The session that owns the znode, which is ephemeral.
  std::int64_t session_id = 0;

  /// Whether a client has requested that the participant releases the lock. Of several permits that
  /// are held together the first has the request.
  bool release_requested = false;
};

} // namespace zklock

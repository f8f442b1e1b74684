#pragma once

#include <zklock/fencing_token.hpp>

#include <chrono>
#include <cstdint>
#include <string>

namespace zklock {

/// What a participant asks of a lock.
enum class participant_role : std::uint8_t {
  /// To hold the lock alone.
  exclusive,
  /// To hold it together with other readers.
  shared,
  /// To hold permits of a semaphore.
  permit,
};

/// Whether a participant uses the lock that it holds.
enum class participant_use : std::uint8_t {
  /// A hold uses it, or the participant waits.
  in_use,
  /// Its client keeps the lock for its next acquire, see `client_options::lock_cache`, and gives it
  /// back where another client wants it. Only that client can tell.
  idle,
  /// One or the other: another client that keeps locks holds it.
  unknown,
};

/// A holder or a waiter of a lock, as the servers showed its znode: an entry of zklock, of Curator
/// or of another client that shares the path. Several permits that are held together are as many
/// participants. A waiting client of Curator's has a node for its permit before it holds it; that
/// node is left out, and the client is listed by its entry in line.
struct participant {
  /// The full path of the znode, with the chroot.
  std::string node{};

  /// The sequence number at the end of its name, which gives the order in line; -1 where a permit
  /// has none.
  std::int64_t number = 0;

  /// What it asks of the lock.
  participant_role role = participant_role::exclusive;

  /// Whether it holds the lock, by the rules of the kind of lock.
  bool holds = false;

  /// Whether it uses the lock that it holds.
  participant_use use = participant_use::in_use;

  /// The data that its client wrote into the znode: for zklock `client_options::identity`. Empty
  /// where a release request replaced the data and did not keep it, as Curator's Revoker does. Of
  /// several permits that zklock took together only the first has it, and it is shown for all. At
  /// most the first 4,096 bytes. Any client may have written any bytes: escape what is shown.
  std::string identity{};

  /// When the znode was created, by the servers' clock, in milliseconds: from then on the
  /// participant is in line. Of a permit of zklock's it is when the permit was taken. ZooKeeper
  /// does not record when an entry in line, or a permit of Curator's, began to hold: not before
  /// this time. A hold of this process knows, see `hold::held_since`.
  std::chrono::system_clock::time_point queued_since{};

  /// The transaction that created the znode. For an entry of zklock it is the first part of the
  /// fencing token.
  fencing_token token{};

  /// The session that owns the znode, which is ephemeral.
  std::int64_t session_id = 0;

  /// Whether it has been asked to release the lock. Of several permits that are held together the
  /// first one has the request.
  bool release_requested = false;
};

} // namespace zklock

#pragma once

#include <zklock/fencing_token.hpp>

#include <chrono>
#include <cstdint>
#include <string>

namespace zklock {

/// What somebody wants who takes part in a lock.
enum class participant_role : std::uint8_t {
  /// To have the lock alone.
  exclusive,
  /// To read, beside others who read.
  shared,
  /// Permits of a semaphore.
  permit,
};

/// Somebody who holds a lock or waits for it, as the servers showed him when they were asked: an
/// entry of zklock, of Curator or of another client that shares the path. Several permits that are
/// held together are as many participants. A permit that is not held yet, as a waiting client of
/// Curator's has one, is none: that client is told by its place in line.
struct participant {
  /// The full path of the node, with the chroot.
  std::string node{};

  /// The number at the end of its name, the place in line; -1 where a permit has none.
  std::int64_t number = 0;

  participant_role role = participant_role::exclusive;

  /// Whether it holds the lock, by the lock's rule.
  bool holds = false;

  /// What its client wrote into the node: for zklock `client_options::identity`. Empty where that
  /// was replaced by a request to let go that did not keep it, as Curator's Revoker does. Of
  /// several permits that zklock took together the first one says it, and it is told of all.
  std::string identity{};

  /// When the node was created, on the servers' clock.
  std::chrono::system_clock::time_point queued_since{};

  /// The transaction that created the node: where zklock made it, the first part of the fencing
  /// token of who holds by it.
  fencing_token token{};

  /// The session that the node belongs to.
  std::int64_t session_id = 0;

  /// Whether somebody has asked it to let go. Of several permits that are held together the first
  /// one says so.
  bool release_requested = false;
};

} // namespace zklock

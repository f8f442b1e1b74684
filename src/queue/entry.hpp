#pragma once

#include "queue/entry_name.hpp"

#include <cstdint>

namespace zklock::queue {

/// One attempt to get a lock, from the call of acquire until nothing is left of it.
struct entry {
  enum class state : std::uint8_t {
    /// Waits in this process for a place in line.
    waiting,
    /// A try that has not asked anything yet.
    trying,
    /// A try that waits for a list: it creates nothing where the lock is taken.
    probing,
    /// The create is in flight.
    creating,
    /// The create was in flight when the connection went: the next list tells what became of it.
    unsure,
    /// Found in a list; what its node says is asked for.
    inspecting,
    /// In line.
    queued,
    held,
    /// To be deleted.
    removing,
  };

  enum class plan : std::uint8_t {
    none,
    /// Those before it are watched.
    made,
    /// Most of those watched are gone: a list is to tell who is left.
    verifying,
  };

  entry_id id;
  role wants;
  state is;
  bool tries;
  /// Given up while nothing could be done about it.
  bool abandoned = false;
  /// Has taken its part of the budget.
  bool paid = false;
  plan ahead = plan::none;
  sequence number = -1;
  std::int64_t czxid = 0;
  /// When its create was sent, in the order of all creates and lists; for a try that probes, the
  /// first list that can answer it.
  std::uint64_t sent = 0;
  /// The newest list that showed it.
  std::uint64_t seen = 0;
};

} // namespace zklock::queue

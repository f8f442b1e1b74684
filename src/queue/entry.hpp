#pragma once

#include "queue/entry_name.hpp"

#include <cstdint>

namespace zklock::queue {

/// Names one call of acquire; rises with each, so it is also the order of those who wait.
using acquisition_id = std::uint64_t;

/// What an acquisition asks for.
struct lock_mode {
  role wants = role::exclusive;
  std::uint32_t permits = 1;
};

/// What a node of an entry is, as its name says: one that is in line, or a permit.
struct form {
  role wants = role::exclusive;
  bool is_permit = false;

  friend bool operator==(form, form) = default;
};

/// A node of ours in the lock's directory: a place in line. It belongs to nobody until it is its
/// turn, then the first of those who wait here holds by it.
struct entry {
  enum class state : std::uint8_t {
    /// The create is in flight.
    creating,
    /// The create was in flight when the connection went: the next list tells what became of it.
    unsure,
    /// Found in a list; what its node says is asked for.
    inspecting,
    /// In line.
    queued,
    /// First in line, and about to be replaced by permits.
    taking,
    /// Replaced by permits; nobody was told yet.
    taken,
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
  state is = state::creating;
  plan ahead = plan::none;
  /// Made for a try: the acquisition's, and nobody else's. It must not wait.
  bool tries = false;
  /// How many permits the try wants.
  std::uint32_t wanted = 1;
  /// Nobody's any more: to be deleted once its number is known.
  bool abandoned = false;
  /// A writer's, about to be replaced by a reader's.
  bool downgrading = false;
  /// Nobody could tell whether it was replaced already: the reader's node is asked for.
  bool doubted = false;
  /// Its room in the budget is borrowed.
  bool lent = false;
  /// The servers would not delete it just now: that is tried again.
  bool refused = false;
  /// Given back, or given up, while it was about to be replaced.
  bool given_back = false;
  /// What replaced it, or is to, and how many of them the last list of permits showed.
  std::uint32_t permits = 0;
  std::uint32_t permits_seen = 0;
  /// Who holds by it, or tries to, or is told when it is gone; 0 for nobody.
  acquisition_id acquisition = 0;
  /// How often it was handed over to another acquisition.
  std::uint32_t turn = 0;
  /// Not negative where it is in line; -1 before it is known.
  sequence number = -1;
  std::int64_t czxid = 0;
  /// When its create was sent, in the order of all creates and lists.
  std::uint64_t sent = 0;
  /// The newest list that showed it.
  std::uint64_t seen = 0;

  form node() const noexcept {
    return {.wants = wants, .is_permit = permits != 0 && is != state::taking};
  }
};

} // namespace zklock::queue

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace zklock::queue {

enum class room_need : std::uint8_t {
  none,
  /// The user has entries, and would use more.
  more,
  /// The user has no entry, and cannot go on without room.
  first,
};

/// A user of a `node_budget`: a lock, or a caller that acquires several locks.
class room_user {
 public:
  room_user() = default;
  room_user(const room_user&) = delete;
  room_user& operator=(const room_user&) = delete;

  /// The need of the user for room.
  virtual room_need needs_room() const noexcept = 0;

  /// Whether `drop_surplus` may be worth a call.
  virtual bool has_surplus() const noexcept = 0;

  /// Takes the room that the user waits for, if there is enough. Calls `node_budget::update`, or
  /// destroys the user.
  virtual void refill() = 0;

  /// Deletes an entry that the user can do without. Returns whether room will come back.
  virtual bool drop_surplus() = 0;

 protected:
  ~room_user() {
    for (auto& each : links_)
      each.unlink();
  }

 private:
  friend class node_budget;

  // A link of a circular list: no event allocates.
  struct link {
    bool is_linked() const noexcept { return next != this; }
    void put_before(link& other) noexcept;
    void unlink() noexcept;

    room_user* of = nullptr;
    link* previous = this;
    link* next = this;
  };

  std::array<link, 3> links_{};
};

/// Limits the bytes of node paths that a session owns. Ending a session that owns too many kills
/// the ensemble: the transaction that deletes the nodes outgrows the servers' limit
/// (ZOOKEEPER-4306).
///
/// A user without an entry claims its room, first come, first served: while a claim waits, no other
/// user takes room. Further entries are made of the room that no claim waits for, by the users in
/// turn.
///
/// A user takes the room for all that it acquires step by step before the first step. So a user
/// that owns a part of it never waits for the rest (Coffman, Elphick and Shoshani 1971: no hold and
/// wait, no deadlock). A program may hold a lock and wait for the first entry of another lock,
/// while entries that wait behind such holders have all the room: so while a claim waits, users
/// delete their surplus entries, a single entry at a time.
///
/// An event takes O(1) steps, and a step for each entry that gets room.
class node_budget {
 public:
  explicit node_budget(std::size_t bytes) noexcept : total_(bytes), left_(bytes) {}

  /// Takes room for a user, unless other users come first. Returns whether the room was taken.
  bool take(std::size_t bytes, room_need need) noexcept;
  void put_back(std::size_t bytes) noexcept;

  /// Called after each event of a user. Returns whether `serve` is to be called after the event.
  bool update(room_user& user) noexcept;

  /// Gives room to the users that wait, in their order.
  void serve();

  bool is_any_waiting() const noexcept { return first_waiting() != nullptr; }
  std::size_t left() const noexcept { return left_; }
  std::size_t total() const noexcept { return total_; }

 private:
  enum class list : std::uint8_t { claims, wishes, surplus };

  using link = room_user::link;

  static link& link_of(room_user& user, list which) noexcept {
    return user.links_[static_cast<std::size_t>(which)];
  }
  link& head(list which) noexcept { return heads_[static_cast<std::size_t>(which)]; }
  /// Null if the list is empty.
  room_user* first(list which) const noexcept {
    return heads_[static_cast<std::size_t>(which)].next->of;
  }
  room_user* first_waiting() const noexcept {
    return first(list::claims) ? first(list::claims) : first(list::wishes);
  }
  /// Returns whether the user was not in the list, and is now.
  bool put(room_user& user, list which, bool is_in) noexcept;
  void drop_surplus();

  std::size_t total_;
  std::size_t left_;
  std::array<link, 3> heads_{};
  /// The user that is served: takes room once.
  room_user* next_ = nullptr;
  bool has_taken_ = false;
  /// A user that waits may get room, or another user may have to drop an entry.
  bool is_due_ = false;
};

} // namespace zklock::queue

#pragma once

#include "client/grant.hpp"
#include "client/line_member.hpp"
#include "client/waiting_list.hpp"
#include "support/description.hpp"

#include <boost/intrusive/list.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace zklock::detail {

/// The acquisitions of a client for a lock, in their order. All lock objects of the path share the
/// line, and every acquire enters the line.
///
/// Acquisitions hold by entries in ZooKeeper, which the strand manages. While no other client wants
/// the lock, the strand opens the line for an entry (`open`). Until `close` the line then grants
/// the entry to its acquisitions in turn, in the threads that acquire and release. This is the fast
/// path.
///
/// Invariant: each turn of an entry is granted once. The mutex is a leaf: no function of the
/// program, no post and no other lock is under it.
class lock_line {
 public:
  using time_point = line_member::time_point;
  using member_ptr = std::shared_ptr<line_member>;
  using place = line_member::place;

  lock_line() = default;
  lock_line(const lock_line&) = delete;
  lock_line& operator=(const lock_line&) = delete;

  // Any thread.

  /// Grants the open entry to an acquisition outside the line if the entry serves the acquisition,
  /// no acquisition is ahead, and the session is proven. The caller completes the acquire.
  bool grant_fast(line_member& c) noexcept;

  /// Adds an acquisition to the line. Returns whether the caller must have the strand look at the
  /// line.
  bool wait(member_ptr c) noexcept;

  struct release_result {
    /// Whether the hold has ended. If not, the strand ends it.
    bool is_done = false;
    /// The acquisition that holds the entry next: the caller completes its acquire.
    member_ptr next{};
  };

  /// Ends the hold of an acquisition that holds by the open entry, unless the hold must end on the
  /// strand.
  release_result release_fast(line_member& c) noexcept;

  /// Owns an acquisition whose release cannot reach the strand, if it holds the open entry, until
  /// the line is closed.
  void keep_alive(member_ptr released) noexcept;

  // The strand.

  /// An entry that the line may grant.
  struct offer {
    /// Its `turn` is the turn of the next acquisition.
    grant next{};
    /// The first turn that is not granted any more.
    std::uint32_t end_of_turns = 0;
    /// Whether the entry stays cached if no acquisition waits. Otherwise the strand deletes the
    /// entry, or the entries behind it.
    bool stays = true;
  };

  /// Opens the line for an entry. `holder`: the acquisition that holds the entry; null if the entry
  /// is free.
  void open(const offer& by, line_member* holder) noexcept;

  struct closed {
    queue::entry_id entry = 0;
    std::uint32_t next_turn = 0;
    /// Null if the entry is free.
    line_member* holder = nullptr;
    /// The tickets of acquisitions that were granted the entry.
    std::vector<queue::demand_id> loose_tickets{};
  };

  /// Closes the line. From now on no thread grants: the holder and the waiting acquisitions belong
  /// to the strand.
  closed close() noexcept;

  bool is_open() const noexcept;
  /// The turn of the next acquisition. The line must be open.
  std::uint32_t next_turn() const noexcept;
  /// Whether the line is open, and an acquisition holds its entry. Another thread may change that
  /// at any time.
  bool is_held_fast() const noexcept;
  /// Whether an acquisition holds the open entry.
  bool is_holder(const line_member& c) const noexcept;

  /// Sets the counters of the lock's acquisitions; null while the strand does not know the lock.
  void count_in(lock_counters* counters) noexcept;

  /// Returns the acquisitions that came since the last look and that the strand must see.
  std::vector<member_ptr> look() noexcept;
  /// Whether the line is open, and an acquisition waits that only the queue can serve.
  bool needs_queue() const noexcept;

  /// Gives tickets to waiting acquisitions without a ticket, in their order, until `next_ticket`
  /// returns 0. `next_ticket` is called with the acquisition, with the mutex locked. Acquisitions
  /// behind an acquisition that the strand has not seen get no ticket.
  template <class Function>
  void give_tickets(Function next_ticket);
  /// Gives a ticket to a try.
  void set_ticket(line_member& c, queue::demand_id ticket) noexcept;
  /// The waiting acquisition with this ticket that has waited longest; null if there is none.
  line_member* first_with(queue::demand_id ticket) const noexcept;
  /// How many acquisitions with the ticket of a waiting acquisition have waited longer.
  std::size_t count_equal_before(const line_member& c) const noexcept;

  bool is_any_waiting() const noexcept;

  /// A waiting acquisition holds by an entry of the queue from now on.
  void granted(line_member& c, queue::entry_id by) noexcept;
  /// A waiting acquisition waits for a proof of the session from now on, outside the order of the
  /// line.
  void set_in_doubt(line_member& c) noexcept;
  /// An acquisition in doubt waits again, behind all waiting acquisitions. The next look returns
  /// the acquisition.
  void wait_again(line_member& c) noexcept;

  /// Takes out an acquisition. Returns null if the acquisition is outside already, or if it holds
  /// and `only_waiting` is set: another thread may have granted it.
  member_ptr take_out(line_member& c, bool only_waiting = false) noexcept;

  /// Has the hold of an acquisition end on the strand only.
  void end_on_strand(line_member& c) noexcept;

  /// Sets the deadline of an acquisition that holds to the end of its hold limit.
  void set_hold_limit(line_member& c, time_point end) noexcept;
  /// Returns when the strand must look at the line: the planned time, or the earliest deadline
  /// before it.
  time_point next_look(time_point planned) noexcept;
  struct due {
    /// Null if no deadline has passed.
    member_ptr of{};
    /// Whether the acquisition holds: its hold limit has passed.
    bool holds = false;
  };

  /// Returns an acquisition whose deadline has passed. An acquisition that waits is outside the
  /// line from now on, so that no thread grants it after its time.
  due take_due(time_point now) noexcept;

  /// Returns the acquisitions that wait, and the tries that the strand has not seen.
  std::vector<member_ptr> waiting() noexcept;

 private:
  template <class Writer>
  friend class zklock::description;

  using unseen_list = boost::intrusive::list<
      line_member,
      boost::intrusive::member_hook<line_member, boost::intrusive::list_member_hook<>,
                                    &line_member::unseen_hook_>,
      boost::intrusive::constant_time_size<false>>;

  struct open_entry {
    offer by;
    // Lives until its release reaches the strand, or in `kept_alive`.
    line_member* holder = nullptr;
    member_ptr kept_alive{};
    std::vector<queue::demand_id> loose_tickets{};
  };

  bool may_grant(const line_member& to) const noexcept;
  void hold(line_member& to, time_point now) noexcept;
  void leave(line_member& c) noexcept;

  mutable std::mutex mutex_;
  mutable waiting_list waiting_;
  due_members due_;
  unseen_list unseen_;
  std::optional<open_entry> open_;
  lock_counters* counters_ = nullptr;
  // When the strand looks at the deadlines, whether the strand has been told to look at the line,
  // and whether an acquisition waits that only the queue can serve.
  time_point looks_at_ = time_point::max();
  bool is_look_due_ = false;
  bool needs_queue_ = false;
};

template <class Function>
void lock_line::give_tickets(Function next_ticket) {
  const std::lock_guard locked(mutex_);
  while (line_member* const next = waiting_.first_without_ticket()) {
    if (next->is_unseen_) return;
    const queue::demand_id ticket = next_ticket(*next);
    if (ticket == 0) return;
    waiting_.give_ticket(ticket);
  }
}

} // namespace zklock::detail

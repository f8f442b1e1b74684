#pragma once

#include "client/grant.hpp"
#include "client/line_member.hpp"
#include "client/waiting_list.hpp"

#include <boost/intrusive/list.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace zklock::detail {

/// The acquisitions of one lock of one client, in their order: all lock objects of a path share the
/// line, and every acquire uses it.
///
/// Acquisitions hold by entries in ZooKeeper, of which the strand knows. While no other client
/// wants the lock, the strand opens the line for one entry (`open`). Until `close` the line then
/// grants that entry to one acquisition after the other, in the threads that acquire and release.
///
/// Invariant: each turn of an entry is granted once, and an acquisition is in one `place`. The
/// mutex is a leaf: no function of the program, no post and no other lock is under it.
class lock_line {
 public:
  using time_point = line_member::time_point;
  using member_ptr = std::shared_ptr<line_member>;
  using place = line_member::place;

  lock_line() = default;
  lock_line(const lock_line&) = delete;
  lock_line& operator=(const lock_line&) = delete;

  // Any thread.

  /// Grants the open entry to an acquisition that is not in the line, if it asks for that and
  /// nothing else, no acquisition is before it, and the session is proven. The caller completes the
  /// acquire.
  bool grant_fast(line_member& c) noexcept;

  /// Adds an acquisition to the line. Returns whether the strand must look at the line: the caller
  /// has it look.
  bool wait(member_ptr c) noexcept;

  struct release_result {
    /// Whether the hold has ended. If not, the strand ends it.
    bool is_done = false;
    /// The acquisition that holds the entry next: the caller completes its acquire.
    member_ptr next{};
  };

  /// Ends the hold of an acquisition that holds by the open entry, as far as this needs no strand.
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
    /// Whether the entry stays where nothing waits for it. Otherwise the strand deletes it, or
    /// deletes the entries behind it.
    bool stays = true;
  };

  /// Lets the line grant an entry. `holder` holds it; null where the entry is free.
  void open(const offer& by, line_member* holder) noexcept;

  struct closed {
    queue::entry_id entry = 0;
    std::uint32_t next_turn = 0;
    /// Null where the entry is free.
    line_member* holder = nullptr;
    /// The tickets of acquisitions that were granted the entry.
    std::vector<queue::acquisition_id> loose_tickets{};
  };

  /// From here on no thread grants: the holder and the acquisitions that wait are the strand's.
  closed close() noexcept;

  bool is_open() const noexcept;
  /// The turn of the next acquisition. The line must be open.
  std::uint32_t next_turn() const noexcept;
  /// Whether the line is open, and an acquisition holds its entry. Another thread may change that
  /// at any time.
  bool is_held_fast() const noexcept;
  /// Whether an acquisition holds the open entry.
  bool is_holder(const line_member& c) const noexcept;

  /// The numbers of the lock's acquisitions; null while the strand does not know the lock.
  void count_in(lock_counters* counters) noexcept;

  /// Returns the acquisitions that came since the last look and that the strand must see.
  std::vector<member_ptr> look() noexcept;
  /// Whether the line is open, and an acquisition waits that only the queue can serve.
  bool needs_queue() const noexcept;

  /// Gives tickets to acquisitions that wait without, in their order, for as long as the function
  /// returns a ticket. It is called with the acquisition, and with the mutex locked. Acquisitions
  /// behind an acquisition that the strand has not seen get none.
  template <class Function>
  void give_tickets(Function next_ticket);
  /// Gives an acquisition that does not wait for others a ticket, or another one.
  void set_ticket(line_member& c, queue::acquisition_id ticket) noexcept;

  bool is_any_waiting() const noexcept;
  /// The acquisition that has waited longest; there must be one.
  line_member& first_waiting() noexcept;

  /// An acquisition that waits holds by an entry of the queue from now on.
  void granted(line_member& c) noexcept;
  /// An acquisition that waits, waits for a proof of the session instead: not in the line.
  void set_in_doubt(line_member& c) noexcept;
  /// An acquisition in doubt waits again, behind all others.
  void wait_again(line_member& c) noexcept;

  /// Takes out an acquisition. Returns null where it is outside already, or where it holds and
  /// `only_waiting` is set: another thread may have granted it.
  member_ptr take_out(line_member& c, bool only_waiting = false) noexcept;

  /// The end of a hold concerns the strand: it is not ended without.
  void end_on_strand(line_member& c) noexcept;

  /// The deadline of an acquisition that holds is reached at this time.
  void set_hold_limit(line_member& c, time_point end) noexcept;
  /// The strand looks at the line at this time. Returns when it looks instead, so that it does not
  /// miss the earliest deadline.
  time_point next_look(time_point planned) noexcept;
  /// Returns an acquisition whose deadline has passed; null where there is none.
  member_ptr take_due(time_point now) noexcept;

  /// Returns the acquisitions that wait and have no ticket.
  std::vector<member_ptr> without_ticket() noexcept;

  /// Whether the acquisition with this ticket was granted the open entry.
  bool is_loose(queue::acquisition_id ticket) const noexcept;

  /// Gives the state to `to`, in which `id_of` names an acquisition.
  template <class Writer, class IdOf>
  void describe(Writer& to, IdOf id_of) const {
    waiting_.for_each([&](const line_member& each) {
      to.caller(id_of(each));
      to.acquisition(each.ticket_);
      to.value(each.is_unseen_);
    });
    to.value(open_.has_value());
    if (!open_) return;
    to.value(needs_queue_);
    to.entry(open_->by.next.entry);
    to.value(open_->by.next.turn);
    to.caller(open_->holder ? id_of(*open_->holder) : 0);
    to.value(open_->loose_tickets.size());
    for (const auto ticket : open_->loose_tickets)
      to.acquisition(ticket);
  }

 private:
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
    std::vector<queue::acquisition_id> loose_tickets{};
  };

  bool may_grant(const line_member& to) const noexcept;
  void hold(line_member& to, time_point now) noexcept;
  void leave(line_member& c) noexcept;

  mutable std::mutex mutex_;
  waiting_list waiting_;
  due_members due_;
  unseen_list unseen_;
  std::optional<open_entry> open_;
  lock_counters* counters_ = nullptr;
  // When the strand looks at the deadlines, whether it has been told to look at the line, and
  // whether an acquisition waits that only the queue can serve.
  time_point looks_at_ = time_point::max();
  bool is_look_due_ = false;
  bool needs_queue_ = false;
};

template <class Function>
void lock_line::give_tickets(Function next_ticket) {
  const std::lock_guard locked(mutex_);
  while (line_member* const next = waiting_.first_without_ticket()) {
    if (next->is_unseen_) return;
    const queue::acquisition_id ticket = next_ticket(*next);
    if (ticket == 0) return;
    waiting_.give_ticket(ticket);
  }
}

} // namespace zklock::detail

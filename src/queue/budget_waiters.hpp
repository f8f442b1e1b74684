#pragma once

#include "queue/node_budget.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace zklock::queue {

class budget_waiters;

/// A queue with its surroundings, or a caller that reserves room: both may wait for the budget.
class room_waiter {
 public:
  room_waiter() = default;
  room_waiter(const room_waiter&) = delete;
  room_waiter& operator=(const room_waiter&) = delete;

  /// Whether it waits for the budget.
  virtual bool starved() const noexcept = 0;

  /// Whether it does, and nothing that it gives back can help.
  virtual bool needs_room() const noexcept = 0;

  /// Whether it may go on with what the budget lends, or with what is reserved for it.
  virtual bool may_borrow() const noexcept = 0;

  /// Whether anything that it waits for has reserved room. Otherwise `may_borrow` changes with its
  /// own events only.
  virtual bool is_reserving() const noexcept = 0;

  /// Whether `make_room` may be worth a call.
  virtual bool can_make_room() const noexcept = 0;

  /// Takes what it waits for, where there is room. Calls `settle`.
  virtual void refill() = 0;

  /// Gives back what it can do without. Returns whether there is anything.
  virtual bool make_room() = 0;

 protected:
  ~room_waiter() {
    for (auto& each : links_)
      each.unlink();
  }

 private:
  friend class budget_waiters;

  // A place in a circular list, so that an event allocates nothing.
  struct link {
    bool is_linked() const noexcept { return next != this; }
    void put_before(link& other) noexcept {
      previous = other.previous;
      next = &other;
      previous->next = next->previous = this;
    }
    void unlink() noexcept {
      previous->next = next;
      next->previous = previous;
      previous = next = this;
    }

    room_waiter* of = nullptr;
    link* previous = this;
    link* next = this;
  };

  std::array<link, 5> links_{};
};

/// Members that found the budget used up, in line for it. No member is overtaken: a lock that is
/// never idle would otherwise take again all room that it gives back. Only members go on meanwhile
/// that may do so with lent or reserved room.
///
/// Each event takes a bounded number of steps, besides a step for each member that gets room and
/// for each that waits for reserved room: members are in lists by the state that their last event
/// has shown.
class budget_waiters {
 public:
  explicit budget_waiters(node_budget& budget) noexcept : budget_(budget) {}
  ~budget_waiters() { clear(); }

  budget_waiters(const budget_waiters&) = delete;
  budget_waiters& operator=(const budget_waiters&) = delete;

  /// Called after each event of a member. Returns whether `serve` is to be called, once the event
  /// is done with.
  bool settle(room_waiter& member) {
    const bool starved = member.starved();
    const bool can_make_room = member.can_make_room();
    put(member, list::roomy, can_make_room);
    if (empty() && !starved) return false;
    // The first may be able to take now what it could not before.
    const bool is_first = first(list::line) == &member;
    const bool turn = (cramped_ && can_make_room) || member.needs_room() || is_first;
    if (empty()) returns_ = budget_.returns();
    put(member, list::line, starved);
    put(member, list::needy, member.needs_room());
    put(member, list::reserving, starved && member.is_reserving());
    put(member, list::small, starved && !member.is_reserving() && member.may_borrow());
    budget_.close(!empty());
    budget_.lend(!first(list::small) && !may_any_take_reserved());
    return !empty() && (turn || budget_.returns() != returns_);
  }

  /// Gives the members in line their turn.
  void serve() {
    cramped_ = false;
    while (!empty()) {
      // One that has nothing goes first: those before it may wait for it.
      room_waiter& next = first(list::needy) ? *first(list::needy) : *first(list::line);
      const auto before = budget_.left();
      leave(next);
      budget_.close(false);
      // Where it needs more it gets in line again.
      next.refill();
      if (!next.starved() || budget_.left() != before) continue;
      // It got nothing, and stays where it is in line.
      put_first(next, list::line);
      put_first(next, list::needy);
      make_room();
      break;
    }
    lend();
    returns_ = budget_.returns();
  }

  void clear() noexcept {
    for (auto& head : heads_)
      while (head.is_linked())
        head.next->unlink();
  }
  bool empty() const noexcept { return !head(list::line).is_linked(); }

 private:
  enum class list : std::uint8_t {
    /// All members that wait, in their order.
    line,
    /// Members in line that have nothing.
    needy,
    /// Members in line that may borrow, and members in line that have reserved.
    small,
    reserving,
    /// Members that can make room, whether they wait or not.
    roomy,
  };

  using link = room_waiter::link;

  link& head(list which) noexcept { return heads_[static_cast<std::size_t>(which)]; }
  const link& head(list which) const noexcept { return heads_[static_cast<std::size_t>(which)]; }
  static link& link_of(room_waiter& member, list which) noexcept {
    return member.links_[static_cast<std::size_t>(which)];
  }

  /// Null where there is none.
  room_waiter* first(list which) const noexcept { return head(which).next->of; }

  void put(room_waiter& member, list which, bool is_in) noexcept {
    link& its = link_of(member, which);
    if (its.is_linked() == is_in) return;
    its.of = &member;
    is_in ? its.put_before(head(which)) : its.unlink();
  }

  void leave(room_waiter& member) {
    for (const auto which : {list::line, list::needy, list::small, list::reserving})
      put(member, which, false);
  }

  void put_first(room_waiter& member, list which) noexcept {
    link& its = link_of(member, which);
    if (!its.is_linked()) return;
    its.unlink();
    its.put_before(*head(which).next);
  }

  std::vector<room_waiter*> reserving() const {
    std::vector<room_waiter*> all;
    const link& end = head(list::reserving);
    for (const link* each = end.next; each != &end; each = each->next)
      all.push_back(each->of);
    return all;
  }

  bool may_any_take_reserved() const noexcept {
    const link& end = head(list::reserving);
    for (const link* each = end.next; each != &end; each = each->next)
      if (each->of->may_borrow()) return true;
    return false;
  }

  /// Room for members that can give nothing back comes from entries that wait behind other entries
  /// of ours: the needy members may wait for a lock whose holder waits for this very room. A single
  /// member makes room, until that room is here. A member that cannot is not asked again before its
  /// next event.
  void make_room() {
    if (!first(list::needy)) return;
    while (room_waiter* const next = first(list::roomy)) {
      if (next->make_room()) return;
      put(*next, list::roomy, false);
    }
    cramped_ = true;
  }

  /// Lends to the members in line that want little, in their order, and lets the members go on that
  /// have reserved. Where a member gets nothing, members that have reserved may take the room that
  /// is reserved for them, and nothing more is lent.
  void lend() {
    while (room_waiter* const next = first(list::small)) {
      budget_.lend(true);
      next->refill();
      if (first(list::small) == next) break;
    }
    const bool lends = !first(list::small);
    for (room_waiter* const each : reserving()) {
      if (!each->may_borrow()) continue;
      budget_.lend(lends);
      each->refill();
    }
  }

  node_budget& budget_;
  std::array<link, 5> heads_{};
  /// What had been given back when they were last served.
  std::uint64_t returns_ = 0;
  /// No lock could make room yet for those that need it.
  bool cramped_ = false;
};

} // namespace zklock::queue

#pragma once

#include "queue/node_budget.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <list>
#include <optional>
#include <vector>

namespace zklock::queue {

class budget_waiters;

/// What may wait for the budget: a queue with its surroundings, or a caller that reserves room. It
/// leaves the line before it ends.
class room_waiter {
 public:
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
  ~room_waiter() = default;

 private:
  friend class budget_waiters;

  using place = std::optional<std::list<room_waiter*>::iterator>;
  std::array<place, 5> places_{};
};

/// Those that found the budget used up, in line for it. They are not overtaken: a lock that is
/// never idle would otherwise take again whatever it gives back. Only those go on meanwhile that
/// may do so with what is lent or reserved.
///
/// Each event takes a bounded number of steps, besides one for each member that gets something and
/// for those that wait for reserved room: members are in lists by what their last event has shown.
class budget_waiters {
 public:
  explicit budget_waiters(node_budget& budget) noexcept : budget_(budget) {}

  /// Called after each event of a member. Returns whether `serve` is to be called, once the event
  /// is done with.
  bool settle(room_waiter& member) {
    const bool starved = member.starved();
    const bool can_make_room = member.can_make_room();
    put(member, list::roomy, can_make_room);
    if (empty() && !starved) return false;
    // The first may be able to take now what it could not before.
    const bool is_first = !empty() && of(list::line).front() == &member;
    const bool turn = (cramped_ && can_make_room) || member.needs_room() || is_first;
    if (empty()) returns_ = budget_.returns();
    put(member, list::line, starved);
    put(member, list::needy, member.needs_room());
    put(member, list::reserving, starved && member.is_reserving());
    put(member, list::small, starved && !member.is_reserving() && member.may_borrow());
    budget_.close(!empty());
    const auto& reserving = of(list::reserving);
    budget_.lend(of(list::small).empty() &&
                 std::none_of(reserving.begin(), reserving.end(),
                              [](const auto* each) { return each->may_borrow(); }));
    return !empty() && (turn || budget_.returns() != returns_);
  }

  /// Gives those in line their turn.
  void serve() {
    cramped_ = false;
    while (!empty()) {
      // One that has nothing goes first: those before it may wait for it.
      const auto& needy = of(list::needy);
      room_waiter& first = needy.empty() ? *of(list::line).front() : *needy.front();
      const auto before = budget_.left();
      leave(first);
      budget_.close(false);
      // Where it needs more it gets in line again.
      first.refill();
      if (!first.starved() || budget_.left() != before) continue;
      // It got nothing, and stays where it is in line.
      put_first(first, list::line);
      put_first(first, list::needy);
      make_room();
      break;
    }
    lend();
    returns_ = budget_.returns();
  }

  void clear() noexcept {
    for (auto& some : lists_)
      some.clear();
  }
  bool empty() const noexcept { return of(list::line).empty(); }

 private:
  enum class list : std::uint8_t {
    /// All that wait, in their order.
    line,
    /// Those of them that have nothing.
    needy,
    /// Those of them that may borrow, and those that have reserved.
    small,
    reserving,
    /// Those that can make room, whether they wait or not.
    roomy,
  };

  using members = std::list<room_waiter*>;

  members& of(list which) noexcept { return lists_[static_cast<std::size_t>(which)]; }
  const members& of(list which) const noexcept { return lists_[static_cast<std::size_t>(which)]; }
  static room_waiter::place& place_of(room_waiter& member, list which) noexcept {
    return member.places_[static_cast<std::size_t>(which)];
  }

  void put(room_waiter& member, list which, bool is_in) {
    auto& place = place_of(member, which);
    if (place.has_value() == is_in) return;
    if (is_in) {
      place = of(which).insert(of(which).end(), &member);
    } else {
      of(which).erase(*place);
      place.reset();
    }
  }

  void leave(room_waiter& member) {
    for (const auto which : {list::line, list::needy, list::small, list::reserving})
      put(member, which, false);
  }

  void put_first(room_waiter& member, list which) noexcept {
    auto& some = of(which);
    if (const auto& place = place_of(member, which)) some.splice(some.begin(), some, *place);
  }

  /// Room for those that can give nothing back comes from entries that wait behind others of ours:
  /// they may wait for a lock whose holder waits for this very room. One member does, until what it
  /// gives back is here. One that cannot is not asked again before its next event.
  void make_room() {
    if (of(list::needy).empty()) return;
    while (!of(list::roomy).empty()) {
      room_waiter& next = *of(list::roomy).front();
      if (next.make_room()) return;
      put(next, list::roomy, false);
    }
    cramped_ = true;
  }

  /// Lends to those in line that want little, in their order, and lets those go on that have
  /// reserved. Where one gets nothing, those that have reserved may take what is reserved for them,
  /// and nothing more is lent.
  void lend() {
    while (!of(list::small).empty()) {
      room_waiter& first = *of(list::small).front();
      budget_.lend(true);
      first.refill();
      if (!of(list::small).empty() && of(list::small).front() == &first) break;
    }
    const bool lends = of(list::small).empty();
    const std::vector<room_waiter*> reserving(of(list::reserving).begin(),
                                              of(list::reserving).end());
    for (room_waiter* const each : reserving) {
      if (!each->may_borrow()) continue;
      budget_.lend(lends);
      each->refill();
    }
  }

  node_budget& budget_;
  std::array<members, 5> lists_;
  /// What had been given back when they were last served.
  std::uint64_t returns_ = 0;
  /// No lock could make room yet for those that need it.
  bool cramped_ = false;
};

} // namespace zklock::queue

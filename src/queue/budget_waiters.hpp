#pragma once

#include "queue/node_budget.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <vector>

namespace zklock::queue {

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

  /// Takes what it waits for, where there is room. Calls `settle`.
  virtual void refill() = 0;

  /// Gives back what it can do without. Returns whether there is anything.
  virtual bool make_room() = 0;

 protected:
  ~room_waiter() = default;
};

/// Those that found the budget used up, in line for it. They are not overtaken: a lock that is
/// never idle would otherwise take again whatever it gives back. Only those go on meanwhile that
/// may do so with what is lent or reserved.
class budget_waiters {
 public:
  explicit budget_waiters(node_budget& budget) noexcept : budget_(budget) {}

  /// Called after each event of a member. Returns whether `serve` is to be called, once the event
  /// is done with.
  bool settle(room_waiter& member) {
    if (line_.empty() && !member.starved()) return false;
    const auto found = std::find(line_.begin(), line_.end(), &member);
    // The first may be able to take now what it could not before.
    const bool turn = cramped_ || member.needs_room() || (found == line_.begin() && !line_.empty());
    if (member.starved() && found == line_.end()) {
      if (line_.empty()) returns_ = budget_.returns();
      line_.push_back(&member);
    } else if (!member.starved() && found != line_.end()) {
      line_.erase(found);
    }
    budget_.close(!line_.empty());
    budget_.lend(std::none_of(line_.begin(), line_.end(),
                              [](const auto* each) { return each->may_borrow(); }));
    return !line_.empty() && (turn || budget_.returns() != returns_);
  }

  /// Gives those in line their turn. `any_of` calls its argument with each member, in line or not,
  /// until one call returns true, and returns whether one did.
  template <class AnyOf>
  void serve(AnyOf any_of) {
    cramped_ = false;
    while (!line_.empty()) {
      // One that has nothing goes first: those before it may wait for it.
      const auto needy = std::find_if(line_.begin(), line_.end(),
                                      [](const auto* each) { return each->needs_room(); });
      if (needy != line_.end()) std::rotate(line_.begin(), needy, std::next(needy));
      room_waiter& first = *line_.front();
      const auto before = budget_.left();
      line_.erase(line_.begin());
      budget_.close(false);
      // Where it needs more it gets in line again.
      first.refill();
      if (!first.starved() || budget_.left() != before) continue;
      // It got nothing, and stays where it is in line.
      std::rotate(line_.begin(), std::prev(line_.end()), line_.end());
      make_room(any_of);
      break;
    }
    lend();
    returns_ = budget_.returns();
  }

  void clear() noexcept { line_.clear(); }
  bool empty() const noexcept { return line_.empty(); }

 private:
  /// Room for those that can give nothing back comes from entries that wait behind others of ours:
  /// they may wait for a lock whose holder waits for this very room.
  template <class AnyOf>
  void make_room(AnyOf any_of) {
    const bool any_needs = std::any_of(line_.begin(), line_.end(),
                                       [](const auto* each) { return each->needs_room(); });
    cramped_ = any_needs && !any_of([](room_waiter& each) { return each.make_room(); });
  }

  /// Lends to those in line that want little, in their order, and lets those go on that have
  /// reserved. Where one gets nothing, those behind it may take what is reserved for them, and
  /// borrow nothing.
  void lend() {
    bool lends = true;
    for (std::size_t i = 0; i < line_.size();) {
      room_waiter& member = *line_[i];
      if (member.may_borrow()) {
        budget_.lend(lends);
        member.refill();
        lends &= !member.may_borrow();
      }
      // One that got all that it wants has left the line.
      if (i < line_.size() && line_[i] == &member) ++i;
    }
  }

  node_budget& budget_;
  std::vector<room_waiter*> line_;
  /// What had been given back when they were last served.
  std::uint64_t returns_ = 0;
  /// No lock could make room yet for those that need it.
  bool cramped_ = false;
};

} // namespace zklock::queue
